#!/usr/bin/env python3
"""A second verifier of the format in blob/FORMAT.md, and what it makes of the vectors beside it.

    python3 testvectors/hostile/verify.py

It reads every vector, decides for itself what is accepted and which rule is broken, and compares that with what the
vector says. It prints the differences and exits with 1 where there is one. It needs Python 3 and no package, and was
written from FORMAT.md alone: nothing of it is taken from the Go packages. It is slow, and meant to be read.
"""

import json
import os
import sys
from collections import Counter
from hashlib import sha256

sys.dont_write_bytecode = True  # leave nothing beside the vectors

import schema

HERE = os.path.dirname(os.path.abspath(__file__))


class Broken(Exception):
    """A rule of FORMAT.md, section 10, that does not hold."""


def need(holds, rule):
    if not holds:
        raise Broken(rule)


def number(b):
    return int.from_bytes(b, "little")


# Section 3: the tree.


def leaf(body):
    return sha256(b"LEAF" + body).digest()


def join(left, right):
    return sha256(b"LEFT" + left + b"RIGHT" + right).digest()


EMPTY = [leaf(b"")]
while len(EMPTY) <= 32:
    EMPTY.append(join(EMPTY[-1], EMPTY[-1]))


def root_over(nodes, height, top):
    """The node at height top over nodes at another height, with padding behind them."""
    while height < top:
        if len(nodes) % 2:
            nodes = nodes + [EMPTY[height]]
        nodes = [join(nodes[i], nodes[i + 1]) for i in range(0, len(nodes), 2)]
        height += 1
    (root,) = nodes
    return root


def hashes(b):
    return [b[i : i + 32] for i in range(0, len(b), 32)]


# Section 4: header and ID.


class Header:
    def __init__(self, blob_id, b):
        need(len(b) == 64, "header-size")
        need(sha256(b"BLOB" + b).digest() == blob_id, "header-id")
        need(b[0:4] == b"TPB1", "header-magic")
        need(b[4] == 1, "header-scheme")
        need(b[5] == 1, "header-codec")
        self.k, self.n = b[6], b[7]
        need(1 <= self.k < self.n <= 20, "header-code")
        self.slice_size = number(b[8:12])
        need(64 <= self.slice_size <= 4096 and self.slice_size % 64 == 0, "header-slice-size")
        need(b[12:16] == bytes(4), "header-reserved")
        self.length = number(b[16:24])
        self.per_group = self.k * self.slice_size
        need(self.length <= self.per_group << 27, "header-length")
        self.groups = -(-self.length // self.per_group)
        need(number(b[24:32]) == self.groups, "header-groups")
        self.root = b[32:64]
        need(self.length > 0 or self.root == EMPTY[5], "header-root")

        self.height = 5
        while 1 << (self.height - 5) < self.groups:
            self.height += 1

    def plaintext(self, group):
        """How many bytes of plaintext a group holds."""
        return min(self.per_group, self.length - group * self.per_group)

    def size(self, group):
        """The size of the slices of a group."""
        if group < self.groups - 1:
            return self.slice_size
        per_slice = -(-self.plaintext(group) // self.k)
        return -(-per_slice // 64) * 64

    def filled(self, position):
        """How many bytes of plaintext a slice holds."""
        group, lane = divmod(position, self.n)
        if lane >= self.k:
            return 0
        size = self.size(group)
        return max(0, min(size, self.plaintext(group) - lane * size))


# Section 5: objects.


def manifest(blob_id, b):
    """The header, and the nodes at height 15, or the root of a lower tree."""
    h = Header(blob_id, b[:64])
    count = -(-h.groups // 1024) if h.groups > 1024 else 0
    need(len(b) == 64 + 32 * count, "manifest-size")
    if count == 0:
        return h, [h.root]
    nodes = hashes(b[64:])
    need(root_over(nodes, 15, h.height) == h.root, "manifest-nodes")
    return h, nodes


def window(blob_id, b, index, roots):
    h, nodes = manifest(blob_id, b)
    groups = min(1024, h.groups - 1024 * index)
    need(len(roots) == 32 * groups, "window-size")
    need(root_over(hashes(roots), 5, min(15, h.height)) == nodes[index], "window-roots")
    return h, groups


def stored_group(blob_id, b, index, roots, group, leaves, slices):
    h, _ = window(blob_id, b, index, roots)
    at = group - 1024 * index
    leaves = hashes(leaves)
    if root_over(leaves, 0, 5) != hashes(roots)[at]:
        return ["unproven"] * h.n
    verdicts = []
    for lane, body in enumerate(slices):
        if body is None:
            verdicts.append("absent")
        elif len(body) == h.size(group) and leaf(body) == leaves[lane]:
            verdicts.append("good")
        else:
            verdicts.append("wrong")
    return verdicts


# Section 6: sets and proofs.


class Walk:
    """The walk of a set, as the verifier makes it: from given leaf hashes and nodes to the root."""

    def __init__(self, h, positions):
        self.h = h
        self.leaves = [p // h.n * 32 + p % h.n for p in positions]

    def kind(self, height, index):
        """What is below a node: "real", "padding" or "both"."""
        if height >= 5:
            first, end, real = index << (height - 5), (index + 1) << (height - 5), self.h.groups
        else:
            first = (index << height) % 32
            end, real = first + (1 << height), self.h.n
        if first >= real:
            return "padding"
        return "real" if end <= real else "both"

    def visit(self, height, index, wanted, on_leaf, on_node):
        if not wanted:
            kind = self.kind(height, index)
            if kind == "padding":
                return EMPTY[height]
            if kind == "real":
                return on_node()
        elif height == 0:
            return on_leaf()
        middle = (2 * index + 1) << (height - 1)
        left = [x for x in wanted if x < middle]
        right = [x for x in wanted if x >= middle]
        first = self.visit(height - 1, 2 * index, left, on_leaf, on_node)
        second = self.visit(height - 1, 2 * index + 1, right, on_leaf, on_node)
        return join(first, second)

    def count(self):
        """How many nodes the set takes."""
        seen = []

        def node():
            seen.append(None)
            return bytes(32)

        self.visit(self.h.height, 0, self.leaves, lambda: bytes(32), node)
        return len(seen)

    def root(self, leaves, nodes):
        leaves, nodes = iter(leaves), iter(nodes)
        return self.visit(self.h.height, 0, self.leaves, lambda: next(leaves), lambda: next(nodes))


class Bytes:
    """Bytes that are taken from the front; where there are too few, a rule is broken."""

    def __init__(self, b, rule):
        self.b, self.rule = b, rule

    def take(self, n):
        need(len(self.b) >= n, self.rule)
        head, self.b = self.b[:n], self.b[n:]
        return head


def positions_of(h, count, b):
    positions = []
    for i in range(count):
        p = number(b[8 * i : 8 * i + 8])
        need(p < h.n * h.groups, "set-range")
        need(not positions or p > positions[-1], "set-order")
        positions.append(p)
    return positions


def proof_head(blob_id, b):
    """What stands before the positions: 72 bytes."""
    need(b[0:4] == b"TPP1", "proof-magic")
    h = Header(blob_id, b[4:68])
    count = number(b[68:72])
    need(1 <= count <= 65536, "set-count")
    return h, count


def proof(blob_id, at, slices, b):
    """The number of nodes of a proof that shows slices to be those at the positions meant."""
    b = Bytes(b, "proof-size")
    h, count = proof_head(blob_id, b.take(72))
    positions = positions_of(h, count, b.take(8 * count))
    need(positions == at, "set-other")
    walk = Walk(h, positions)
    nodes = walk.count()
    need(len(b.b) == 32 * nodes, "proof-size")
    need(len(slices) == len(at), "set-other")
    for position, body in zip(at, slices):
        need(len(body) == h.size(position // h.n), "slice-size")
    need(walk.root(map(leaf, slices), hashes(b.b)) == h.root, "proof-root")
    return nodes


# Section 7: bundles and ranges.


def run_of(h, position):
    return position // h.n // 64


def bundle(blob_id, b, fits):
    """One bundle from the front of b: its header and positions. fits(h, positions) looks at what it is a bundle of."""
    h, count = proof_head(blob_id, b.take(72))
    need(count <= 64 * h.n, "bundle-run")
    positions = positions_of(h, count, b.take(8 * count))
    need(run_of(h, positions[0]) == run_of(h, positions[-1]), "bundle-run")
    fits(h, positions)
    walk = Walk(h, positions)
    nodes = hashes(b.take(32 * walk.count()))
    slices = [b.take(h.size(p // h.n)) for p in positions]
    need(walk.root(map(leaf, slices), nodes) == h.root, "proof-root")
    return h, positions


def is_range(h, sets):
    """Whether sets begin as the bundles of some range of plaintext do: each data slice from the first on, a new set
    where a new run begins."""
    first, last = sets[0][0], sets[-1][-1]
    wanted, expect = [], []
    for p in range(first, last + 1):
        if h.filled(p):
            wanted.append(p)
    for p in wanted:
        if not expect or run_of(h, expect[-1][-1]) != run_of(h, p):
            expect.append([])
        expect[-1].append(p)
    return sets == expect


def bundles(blob_id, want, b):
    b = Bytes(b, "bundle-size")
    sets = []
    if want is not None:
        need(all(x < y for x, y in zip(want, want[1:])), "set-order")
        while want:

            def fits(h, positions):
                mine = [p for p in want if run_of(h, p) == run_of(h, want[0])]
                need(positions == mine, "set-other")

            _, positions = bundle(blob_id, b, fits)
            want = want[len(positions) :]
            sets.append(positions)
        need(not b.b, "bundle-size")
    else:

        def goes_on(h, positions):
            sets.append(positions)
            need(len(sets) == 1 or is_range(h, sets), "bundle-range")

        bundle(blob_id, b, goes_on)
        while b.b:
            bundle(blob_id, b, goes_on)
    return [p for s in sets for p in s]


# Section 8: audits.


class Challenge:
    def __init__(self, b):
        need(len(b) == 76, "challenge-size")
        need(b[0:4] == b"TPC1", "challenge-magic")
        self.id, self.seed = b[4:36], b[36:68]
        self.lanes, self.count = number(b[68:72]), number(b[72:76])
        need(self.lanes != 0 and self.lanes < 1 << 20, "challenge-lanes")
        need(1 <= self.count <= 65536, "challenge-count")

    def samples(self, h):
        need(self.lanes < 1 << h.n, "challenge-lanes")
        asked = [i for i in range(h.n) if self.lanes >> i & 1]
        p = len(asked)
        total = p * h.groups
        need(self.count <= min(total, 65536), "challenge-count")
        drawn, j = set(), 0
        while True:
            block = sha256(b"AUDIT" + self.id + self.seed + self.lanes.to_bytes(4, "little") + j.to_bytes(8, "little")).digest()
            j += 1
            for i in range(0, 32, 8):
                x = number(block[i : i + 8])
                if x >= (1 << 64) // total * total:
                    continue
                m = x % total
                drawn.add(h.n * (m // p) + asked[m % p])
                if len(drawn) == self.count:
                    return sorted(drawn)


def challenge(b, header):
    c = Challenge(b)
    return c, None if header is None else c.samples(Header(c.id, header))


def answer(challenge_bytes, b):
    c = Challenge(challenge_bytes)
    b = Bytes(b, "answer-size")
    head = b.take(68)
    need(head[0:4] == b"TPA1", "answer-magic")
    h = Header(c.id, head[4:])
    at = c.samples(h)
    walk = Walk(h, at)
    leaves = hashes(b.take(32 * len(at)))
    nodes = hashes(b.take(32 * walk.count()))
    verdicts = []
    for position, want in zip(at, leaves):
        mark = b.take(1)[0]
        need(mark <= 1, "answer-mark")
        if mark == 0:
            verdicts.append("absent")
        else:
            body = b.take(h.size(position // h.n))
            verdicts.append("good" if leaf(body) == want else "wrong")
    need(not b.b, "answer-size")
    if walk.root(leaves, nodes) != h.root:
        verdicts = ["unproven"] * len(at)
    return at, verdicts


# Section 2: the code. Products in GF(2^8) are made bit by bit.


def times(a, b):
    product = 0
    while b:
        if b & 1:
            product ^= a
        a <<= 1
        if a & 0x100:
            a ^= 0x11D
        b >>= 1
    return product


TIMES = [[times(a, b) for b in range(256)] for a in range(256)]


def power(a, e):
    return 1 if e == 0 else TIMES[a][power(a, e - 1)]


def matrix_times(a, rows):
    """The product of a matrix and rows of bytes."""
    out = []
    for line in a:
        total = bytes(len(rows[0]))
        for factor, row in zip(line, rows):
            table = TIMES[factor]
            total = bytes(x ^ table[y] for x, y in zip(total, row))
        out.append(total)
    return out


def inverse(a):
    size = len(a)
    a = [list(row) + [int(i == j) for j in range(size)] for i, row in enumerate(a)]
    for i in range(size):
        pivot = next(r for r in range(i, size) if a[r][i])
        a[i], a[pivot] = a[pivot], a[i]
        factor = TIMES[a[i][i]].index(1)
        a[i] = [TIMES[factor][x] for x in a[i]]
        for r in range(size):
            if r != i and a[r][i]:
                f = a[r][i]
                a[r] = [x ^ TIMES[f][y] for x, y in zip(a[r], a[i])]
    return [bytes(row[size:]) for row in a]


def code(k, n):
    v = [bytes(power(r, c) for c in range(k)) for r in range(n)]
    return matrix_times(v, inverse(v[:k]))


def encode(k, n, shown):
    """All n slices of a group, from k of them by lane."""
    matrix = code(k, n)
    lanes = sorted(shown)
    data = matrix_times(inverse([matrix[lane] for lane in lanes]), [shown[lane] for lane in lanes])
    return matrix_times(matrix, data)


# Section 9: evidence.


def evidence(blob_id, b):
    b = Bytes(b, "evidence-size")
    head = b.take(76)
    need(head[0:4] == b"TPE1", "evidence-magic")
    h = Header(blob_id, head[4:68])
    group = number(head[68:76])
    need(group < h.groups, "evidence-group")
    size = h.size(group)
    at = [h.n * group + lane for lane in range(h.n)]
    walk = Walk(h, at)
    count = walk.count()
    need(len(b.b) == 32 * (h.n + count) + 4 + h.k * size, "evidence-size")
    leaves, nodes = hashes(b.take(32 * h.n)), hashes(b.take(32 * count))
    mask = number(b.take(4))
    lanes = [lane for lane in range(32) if mask >> lane & 1]
    need(len(lanes) == h.k and lanes[-1] < h.n, "evidence-lanes")
    need(walk.root(leaves, nodes) == h.root, "evidence-root")
    shown = {}
    for lane in lanes:
        shown[lane] = b.take(size)
        need(leaf(shown[lane]) == leaves[lane], "evidence-slice")

    slices = encode(h.k, h.n, shown)
    wrong = sum(1 << lane for lane in range(h.n) if leaf(slices[lane]) != leaves[lane])
    padding = any(any(slices[lane][h.filled(at[lane]) :]) for lane in range(h.k))
    need(wrong or padding, "evidence-honest")
    return {"group": group, "wrong": wrong, "padding": padding}


# The vectors.


def raw(x):
    """Input as JSON has it, with bytes for digits."""
    if isinstance(x, str):
        return bytes.fromhex(x)
    if isinstance(x, list):
        return [raw(y) for y in x]
    return x


def on_header(x):
    h = Header(x["id"], x["header"])
    return {
        "k": h.k,
        "n": h.n,
        "slice_size": h.slice_size,
        "length": h.length,
        "groups": h.groups,
        "last_slice": h.size(h.groups - 1) if h.groups else 0,
    }


def on_manifest(x):
    h, nodes = manifest(x["id"], x["manifest"])
    return {"groups": h.groups, "nodes": len(nodes) if h.groups > 1024 else 0}


def on_window(x):
    _, groups = window(x["id"], x["manifest"], x["window"], x["roots"])
    return {"first": 1024 * x["window"], "groups": groups}


def on_group(x):
    return {"verdicts": stored_group(x["id"], x["manifest"], x["window"], x["roots"], x["group"], x["leaves"], x["slices"])}


def on_proof(x):
    return {"nodes": proof(x["id"], x["at"], x["slices"], x["proof"])}


def on_bundles(x):
    return {"at": bundles(x["id"], x["want"], x["bundles"])}


def on_challenge(x):
    c, at = challenge(x["challenge"], x["header"])
    return {"lanes": c.lanes, "count": c.count, "at": at}


def on_answer(x):
    at, verdicts = answer(x["challenge"], x["answer"])
    return {"at": at, "verdicts": verdicts}


def on_evidence(x):
    return evidence(x["id"], x["evidence"])


JUDGES = {
    "header": on_header,
    "manifest": on_manifest,
    "window": on_window,
    "group": on_group,
    "proof": on_proof,
    "bundles": on_bundles,
    "challenge": on_challenge,
    "answer": on_answer,
    "evidence": on_evidence,
}


def judge(kind, vector):
    """What this verifier says: the name of a rule, or a result."""
    try:
        return JUDGES[kind]({name: raw(x) for name, x in vector["input"].items()})
    except Broken as broken:
        return str(broken)
    except Exception as fault:
        return "a crash: %r" % fault


def main():
    with open(os.path.join(HERE, "schema.json"), encoding="utf-8") as f:
        check = schema.Checker(json.load(f))
    differences, total = 0, 0
    for kind in JUDGES:
        with open(os.path.join(HERE, kind + ".json"), encoding="utf-8") as f:
            file = json.load(f)
        for fault in check.faults(file):
            differences += 1
            print("%s.json: %s" % (kind, fault))
        tally = Counter()
        for vector in file["vectors"]:
            want = vector["rule"] if "rule" in vector else vector["result"]
            got = judge(kind, vector)
            tally["refused" if "rule" in vector else "accepted"] += 1
            if got != want:
                differences += 1
                print("%s.json: %s: %s, want %s" % (kind, vector["name"], got, want))
        total += sum(tally.values())
        print("%-9s %4d accepted %4d refused" % (kind, tally["accepted"], tally["refused"]))
    print("%d vectors, %d differences" % (total, differences))
    return 1 if differences or not total else 0


if __name__ == "__main__":
    sys.exit(main())
