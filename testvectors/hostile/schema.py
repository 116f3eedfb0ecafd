"""As much of JSON Schema, draft 2020-12, as schema.json uses. Another keyword is an error, so that none is passed over."""

import re

KINDS = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "boolean": bool,
    "null": type(None),
}

NOTES = {"$schema", "$id", "$defs", "title", "description"}


class Checker:
    def __init__(self, root):
        self.root = root

    def faults(self, value):
        """Where value breaks the schema, in words."""
        return list(self._check(self.root, value, "$"))

    def _check(self, schema, value, at):
        if schema is False:
            yield "%s is not allowed" % at
            return
        for keyword, want in schema.items():
            if keyword not in NOTES:
                yield from getattr(self, "_" + keyword.strip("$"))(want, schema, value, at)

    def _ref(self, want, schema, value, at):
        target = self.root
        for step in want[2:].split("/"):
            target = target[step]
        yield from self._check(target, value, at)

    def _type(self, want, schema, value, at):
        names = want if isinstance(want, list) else [want]
        if not any(isinstance(value, KINDS[n]) and (n == "boolean" or not isinstance(value, bool)) for n in names):
            yield "%s is no %s" % (at, " or ".join(names))

    def _const(self, want, schema, value, at):
        if value != want:
            yield "%s is not %r" % (at, want)

    def _enum(self, want, schema, value, at):
        if value not in want:
            yield "%s is %r" % (at, value)

    def _pattern(self, want, schema, value, at):
        if isinstance(value, str) and not re.search(want, value):
            yield "%s does not match %s" % (at, want)

    def _minLength(self, want, schema, value, at):
        if isinstance(value, str) and len(value) < want:
            yield "%s is too short" % at

    def _minimum(self, want, schema, value, at):
        if isinstance(value, int) and value < want:
            yield "%s is below %d" % (at, want)

    def _maximum(self, want, schema, value, at):
        if isinstance(value, int) and value > want:
            yield "%s is above %d" % (at, want)

    def _items(self, want, schema, value, at):
        if isinstance(value, list):
            for i, x in enumerate(value):
                yield from self._check(want, x, "%s[%d]" % (at, i))

    def _minItems(self, want, schema, value, at):
        if isinstance(value, list) and len(value) < want:
            yield "%s has too few items" % at

    def _required(self, want, schema, value, at):
        if isinstance(value, dict):
            for name in want:
                if name not in value:
                    yield "%s has no %s" % (at, name)

    def _properties(self, want, schema, value, at):
        if isinstance(value, dict):
            for name, x in value.items():
                if name in want:
                    yield from self._check(want[name], x, "%s.%s" % (at, name))

    def _additionalProperties(self, want, schema, value, at):
        if want is not False:
            raise ValueError("additionalProperties other than false")
        if isinstance(value, dict):
            for name in value:
                if name not in schema.get("properties", {}):
                    yield "%s has %s" % (at, name)

    def _oneOf(self, want, schema, value, at):
        tries = [list(self._check(x, value, at)) for x in want]
        fitting = [t for t in tries if not t]
        if len(fitting) != 1:
            closest = min(tries, key=len) if not fitting else []
            yield "%s fits %d of %d forms%s" % (at, len(fitting), len(tries), "".join("; " + f for f in closest[:3]))
