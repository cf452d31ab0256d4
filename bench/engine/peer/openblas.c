// The peer of bench/engine: products with OpenBLAS on one thread, as asked for on standard input.
//
//	cc -O2 -o openblas openblas.c -lopenblas
//	echo 512 128 128 1 100 | OPENBLAS_NUM_THREADS=1 OPENBLAS_CORETYPE=SkylakeX ./openblas
//
// Each line is M N K TRANSPOSED REPEATS; the answer is the seconds of processor time and the sum of the last result. If
// TRANSPOSED is 1, B is given as weights lie, N rows of K; if 0, as K rows of N.
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double cpu(void) {
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

static float *filled(long n) {
	float *x = aligned_alloc(64, (n * sizeof *x + 63) / 64 * 64);
	for (long i = 0; i < n; i++) x[i] = (i % 7 - 3) / 8.0f;
	return x;
}

int main(void) {
	int m, n, k, transposed;
	long repeats;
	while (scanf("%d %d %d %d %ld", &m, &n, &k, &transposed, &repeats) == 5) {
		float *a = filled((long)m * k), *b = filled((long)n * k), *c = filled((long)m * n);
		double start = cpu();
		for (long i = 0; i < repeats; i++)
			cblas_sgemm(CblasRowMajor, CblasNoTrans, transposed ? CblasTrans : CblasNoTrans, m, n, k, 1, a, k, b,
				transposed ? k : n, 0, c, n);
		double seconds = cpu() - start, sum = 0;
		for (long i = 0; i < (long)m * n; i++) sum += c[i];
		printf("%.9f %.6f\n", seconds, sum);
		fflush(stdout);
		free(a), free(b), free(c);
	}
}
