// Prints the most that one core does: independent multiply-adds on registers alone, 12 chains of AVX-512, then of AVX2.
//
//	cc -O2 -mavx512f -mfma -o fma fma.c
#include <immintrin.h>
#include <stdio.h>
#include <time.h>

static double cpu(void) {
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

enum { chains = 12, turns = 15 };
static const long steps = 500000;

#define MEASURE(name, type, lanes, set1, fma, sum)                                     \
	static void name(void) {                                                       \
		double best = 0;                                                       \
		volatile float sink;                                                   \
		for (int t = 0; t < turns; t++) {                                      \
			type a[chains], x = set1(0.999f), y = set1(0.001f);            \
			for (int i = 0; i < chains; i++) a[i] = set1(i);               \
			double start = cpu();                                          \
			for (long s = 0; s < steps; s++)                               \
				_Pragma("GCC unroll 12")                               \
				for (int i = 0; i < chains; i++) a[i] = fma(a[i], x, y); \
			double speed = 2.0 * lanes * chains * steps / (cpu() - start) / 1e9; \
			for (int i = 0; i < chains; i++) sink = sum(a[i]);             \
			if (speed > best) best = speed;                                \
		}                                                                      \
		(void)sink;                                                            \
		printf(#name ": %.0f GFLOP/s at most\n", best);                        \
	}

static float first512(__m512 x) { return _mm512_cvtss_f32(x); }
static float first256(__m256 x) { return _mm256_cvtss_f32(x); }
MEASURE(avx512, __m512, 16, _mm512_set1_ps, _mm512_fmadd_ps, first512)
MEASURE(avx2, __m256, 8, _mm256_set1_ps, _mm256_fmadd_ps, first256)

int main(void) { avx512(), avx2(); }
