"""Tasks of Inspect over questions.jsonl."""
from inspect_ai import Task, task
from inspect_ai.dataset import Sample, json_dataset
from inspect_ai.model import ChatMessageAssistant, ModelOutput, execute_tools
from inspect_ai.scorer import choice, includes, match
from inspect_ai.solver import generate, multiple_choice, solver
from inspect_ai.tool import ToolCall, tool

FILE = "questions.jsonl"


def asked(row):
    return Sample(id=row["id"], input=row["question"], target=row["answer"], metadata={"topic": row["topic"]})


def offered(row):
    return Sample(id=row["id"], input=row["question"], choices=row["choices"], target="ABCD"[row["gold"]])


@task
def capitals(epochs=2):
    return Task(dataset=json_dataset(FILE, asked), solver=generate(), scorer=[match(), includes()], epochs=epochs)


@task
def options():
    return Task(dataset=json_dataset(FILE, offered), solver=multiple_choice(), scorer=choice())


@tool
def atlas():
    async def execute(country: str):
        """Look a capital up.

        Args:
            country: Name of the country.
        """
        return {"Ilhanesia": "Tolgorford"}.get(country, "not in the atlas")

    return execute


@solver
def looks_up():
    """Calls the tool in the model's place, which takes no tools, and answers with what it replied."""

    async def solve(state, generate):
        country = state.input_text.split()[-1].rstrip("?")
        call = ToolCall(id="1", function="atlas", arguments={"country": country})
        state.messages.append(ChatMessageAssistant(content="", tool_calls=[call]))
        replies, _ = await execute_tools(state.messages, [atlas()])
        state.messages.extend(replies)
        state.output = ModelOutput.from_content(str(state.model), f"It is {replies[0].text}.")
        state.messages.append(state.output.message)
        return state

    return solve


@task
def looked_up():
    return Task(dataset=json_dataset(FILE, asked, limit=2), solver=looks_up(), scorer=includes())
