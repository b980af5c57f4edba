"""The other ways to put a chat that a strict template refuses as it is."""

from collections.abc import Iterator, Mapping, Sequence

__all__ = ["Chat", "ways"]

Chat = Sequence[Mapping[str, str]]

BETWEEN = "\n\n"


def ways(chat: Chat) -> Iterator[Chat]:
    """The chat as it is; with neighbouring turns of one role as one turn; and then with the system's
    text at the head of the user's first turn. Only ways that differ, each holding every text."""
    yield chat
    merged = _merged(chat)
    if merged != list(chat):
        yield merged
    folded = _without_system(merged)
    if folded != merged:
        yield folded


def _merged(chat: Chat) -> list[Mapping[str, str]]:
    turns: list[Mapping[str, str]] = []
    for message in chat:
        if turns and turns[-1]["role"] == message["role"]:
            turns[-1] = _joined(turns[-1], message)
        else:
            turns.append(message)
    return turns


def _joined(first: Mapping[str, str], second: Mapping[str, str]) -> Mapping[str, str]:
    """One message of both texts. What else the messages hold is joined alike."""
    keys = [*first, *(key for key in second if key not in first)]
    texts = {key: [turn[key] for turn in (first, second) if turn.get(key)] for key in keys}
    return {key: BETWEEN.join(parts) for key, parts in texts.items()} | {"role": first["role"]}


def _without_system(chat: Chat) -> list[Mapping[str, str]]:
    system = [message["content"] for message in chat if message["role"] == "system"]
    rest = [message for message in chat if message["role"] != "system"]
    first = next((place for place, message in enumerate(rest) if message["role"] == "user"), None)
    if not system or first is None:
        return list(chat)
    content = BETWEEN.join([*system, rest[first]["content"]])
    rest[first] = {**rest[first], "content": content}
    return _merged(rest)
