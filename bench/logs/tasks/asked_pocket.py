"""What the served model answers to questions.jsonl, for tools that ask no model themselves."""
import json
import os

from openai import OpenAI


def asked():
    client = OpenAI(base_url=os.environ["POCKET"], api_key="none")
    for line in open("questions.jsonl"):
        row = json.loads(line)
        chat = [{"role": "user", "content": row["question"]}]
        reply = client.chat.completions.create(model="pocket", messages=chat, max_tokens=16, temperature=0)
        country = row["question"].split()[-1].rstrip("?")
        row["passages"] = [f"The government of {country} sits in {row['answer']}.", "It's a port."]
        yield row, reply.choices[0].message.content
