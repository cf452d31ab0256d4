"""A test run of DeepEval: two of its metrics that take no judge."""
from asked_pocket import asked
from deepeval import evaluate
from deepeval.evaluate.configs import AsyncConfig, DisplayConfig
from deepeval.metrics import ExactMatchMetric, PatternMatchMetric
from deepeval.test_case import LLMTestCase

cases = [LLMTestCase(input=row["question"], actual_output=said, expected_output=row["answer"],
                     retrieval_context=row["passages"]) for row, said in asked()]
evaluate(cases, [ExactMatchMetric(), PatternMatchMetric(pattern=r"\w+")], async_config=AsyncConfig(run_async=False),
         display_config=DisplayConfig(show_indicator=False))
