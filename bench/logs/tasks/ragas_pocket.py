"""An evaluation of RAGAS: three of its metrics that take no judge, as the data frame is written to CSV and JSON Lines."""
from asked_pocket import asked
from ragas import EvaluationDataset, SingleTurnSample, evaluate
from ragas.metrics import ExactMatch, NonLLMStringSimilarity, StringPresence

samples = [SingleTurnSample(user_input=row["question"], response=said, reference=row["answer"],
                            retrieved_contexts=row["passages"]) for row, said in asked()]
result = evaluate(EvaluationDataset(samples=samples), metrics=[ExactMatch(), StringPresence(), NonLLMStringSimilarity()],
                  show_progress=False)
print(result)
frame = result.to_pandas()
frame.to_csv("capitals.csv", index=False)
frame.to_json("ragas.jsonl", orient="records", lines=True)
