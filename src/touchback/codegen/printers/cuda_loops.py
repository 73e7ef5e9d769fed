"""CUDA C of a program with loops (`symbolic.loop_rolling`), whose instructions are few enough for
the nearest caches of the card, however long the program is. It computes the bits of the program.

Arrays of loops lie in memory that a block shares as far as there is room, else in a thread's own.
Sines and cosines of many angles are computed some at a time, so that one hides the latency of
another.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from touchback.codegen.printers.c import C99, CSpeller, statement_line
from touchback.codegen.printers.cuda import CUDA, CudaSpeller
from touchback.codegen.printers.dialect import statements
from touchback.symbolic import (
    COS,
    COS_COEFFICIENTS,
    INPUT,
    LIMIT,
    MAGIC,
    PI_HALF,
    SIN,
    SIN_COEFFICIENTS,
    TWO_OVER_PI,
    operands,
)
from touchback.symbolic.loop_rolling import (
    Column,
    Entries,
    Loop,
    LoopCarried,
    LoopInvariant,
    Numbers,
    RolledProgram,
    roll_loops as roll_loops,
)

Time = tuple[int, int]  # part, and iteration


Life = tuple[Time, Time]  # of an entry: when it comes, and when it is needed last


AHEAD = 5  # iterations at most by which loops read far arrays ahead, also beyond the last


_WIDER = 4  # places by which a row grows for an array more


_AT_FIRST: Time = (-1, 0)


_TO_THE_END = 1 << 30  # of a part


class ArrayPlacement(NamedTuple):
    """Where an array lies: entry k at `first` + `step` · k, near or far."""

    near: bool
    first: int
    step: int


@dataclass(frozen=True)
class Layout:
    """Of each array where it lies, and how many places there are, near and far."""

    places: list[ArrayPlacement]
    near: int
    far: int

    def place(self, array: int, first: int, step: int = 0) -> str:
        """The text of the entry `first` + `step` · t: loops move pointers to both sides."""
        near, start, way = self.places[array]
        at, moved = start + way * first, way * step
        if near:
            return f"{('own', 'up', 'down')[moved]}[{at} * BLOCK]"
        return f"{('far', 'far_up', 'far_down')[moved]}[{at}]"


def lay_out(rolled: RolledProgram, room: int) -> Layout:
    """Near ones in at most so many places, first those that the shortest loops read, which have
    least to do while they wait. At both ends of either memory places are free, since loops read
    ahead."""
    places = [ArrayPlacement(False, 0, 1)] * len(rolled.arrays)
    size = {True: 1, False: AHEAD}
    length = {
        each.array: len(loop.made)
        for loop in sorted(rolled.loops, key=lambda loop: -len(loop.made))
        for each in loop.fetched
    }
    rows = _shared_rows(_lives(rolled))
    for row in sorted(rows, key=lambda row: min(length.get(k, 0) for k in row.arrays)):
        near = size[True] + row.size < room
        for number, (first, step) in row.arrays.items():
            places[number] = ArrayPlacement(near, size[near] + first - row.low, step)
        size[near] += row.size
    return Layout(places, size[True] + 1, size[False] + AHEAD)


class _Row:
    """Places that arrays share: an entry may come where another one was read for the last time.
    Loops read before they write."""

    def __init__(self) -> None:
        self.low, self.high = 0, 0
        self.arrays: dict[int, tuple[int, int]] = {}  # place of entry 0, and step
        self._taken: dict[int, list[Life]] = defaultdict(list)

    @property
    def size(self) -> int:
        """How many places."""
        return self.high - self.low

    def takes(self, number: int, life: dict[int, Life]) -> bool:
        """Forwards or backwards, if there is room, or with a few places more."""
        low, high = min(life), max(life)
        size = high - low + 1
        spare = max(self.size - size, 0)
        wider = [at for k in range(1, _WIDER + 1) for at in (-k, spare + k)] if self.arrays else []
        for start in (self.low + at for at in (*range(spare + 1), *wider)):
            for first, step in ((start - low, 1), (start + high, -1)):
                if all(self._free(first + step * k, span) for k, span in life.items()):
                    for k, span in life.items():
                        self._taken[first + step * k].append(span)
                    self.low, self.high = min(self.low, start), max(self.high, start + size)
                    self.arrays[number] = first, step
                    return True
        return False

    def _free(self, place: int, life: Life) -> bool:
        return all(life[1] <= start or end <= life[0] for start, end in self._taken[place])


def _shared_rows(lives: list[dict[int, Life]]) -> list[_Row]:
    rows: list[_Row] = []
    for number in sorted(range(len(lives)), key=lambda k: min(lives[k].values())):
        if not any(row.takes(number, lives[number]) for row in rows):
            rows.append(_Row())
            rows[-1].takes(number, lives[number])
    return rows


def _lives(rolled: RolledProgram) -> list[dict[int, Life]]:
    """Of each entry of each array when it comes and when it is needed last."""
    came = {node: (number, 0) for number, part in enumerate(rolled.parts)
            if not isinstance(part, Loop) for node in part}  # fmt: skip
    stored = dict(_times(rolled, stores=True))
    last: dict[tuple[int, int], Time] = {}
    for entry, time in _times(rolled, stores=False):  # by several columns of a loop
        last[entry] = max(time, last.get(entry, time))
    lives: list[dict[int, Life]] = []
    for number, array in enumerate(rolled.arrays):
        lives.append({})
        for index, node in array.items():
            start = stored.get((number, index), came.get(node, _AT_FIRST))
            unread = start[0], start[1] + 1  # it is written all the same
            lives[-1][index] = start, max(unread, last.get((number, index), unread))
    return lives


def _times(rolled: RolledProgram, stores: bool) -> Iterator[tuple[tuple[int, int], Time]]:
    """When loops store entries, or when entries are read."""
    for number, part in enumerate(rolled.parts):
        if isinstance(part, Loop):
            for where in [each for _, each in part.stores] if stores else part.fetched:
                for t in range(part.count):
                    yield where.at(t), (number, t)
        if not stores:
            for node in rolled.named(part):
                if node in rolled.kept:
                    yield rolled.kept[node], (number, _TO_THE_END)
    if not stores:
        for output in rolled.program.outputs:
            if abs(output) in rolled.kept:
                yield rolled.kept[abs(output)], (len(rolled.parts), 0)


_AT_A_TIME = 6


@dataclass(frozen=True)
class SineCosineLoop:
    """A loop that computes sine and cosine of an angle in each iteration: the body's node of the
    angle, and what each of its results is."""

    angle: int
    results: dict[int, str]

    def lines(
        self, count: int, row: str, before: Sequence[str], angle: str,
        given: Sequence[tuple[str, int]],
    ) -> Iterator[str]:  # fmt: skip
        """A loop over groups of angles; the last group repeats the last one. Angles beyond those
        that `near_sines_cosines` takes are noted in `large`."""
        each = [
            "#pragma unroll",
            f"for (int k = 0; k < {_AT_A_TIME}; k++) {{",
            f"const int at = t + k < {count} ? t + k : {count - 1};",
            "real *const up = own + at * BLOCK, *const down = own - at * BLOCK;",
            "real *const far_up = far + at, *const far_down = far - at;",
        ]
        yield "int large = 0;"
        yield "#pragma unroll 1"
        yield f"for (int t = 0; t < {count}; t += {_AT_A_TIME}) {{"
        yield f"real angle[{_AT_A_TIME}], sine[{_AT_A_TIME}], cosine[{_AT_A_TIME}];"
        yield from (*each, f"const real *const row = {row};", *before, f"angle[k] = {angle};")
        yield f"large |= !(fabs(angle[k]) <= {LIMIT!r});"
        yield from ("}", "near_sines_cosines(angle, sine, cosine);", *each)
        yield from (f"{place} = {self.results[node]}[k];" for place, node in given)
        yield from ("}", "}")


def as_sine_cosine_loop(loop: Loop, rolled: RolledProgram) -> SineCosineLoop | None:
    """Of a loop that gives sine and cosine of an angle of arguments, and nothing else."""
    body = loop.body
    pairs = {node: op for node, op in enumerate(body.op) if op in (SIN, COS)}
    angles = {body.a[node] for node in pairs}
    given = {node for node, _ in loop.stores} | set(loop.leaves.values())
    used = {each for node in range(len(body.op)) for each in operands(body, node)}
    if len(angles) != 1 or used & pairs.keys() or loop.gives or not given <= pairs.keys():
        return None
    for column in loop.columns:
        if isinstance(column, Entries):
            nodes = rolled.arrays[column.array].values()
            if any(rolled.program.op[node] != INPUT for node in nodes):
                return None
        elif not isinstance(column, Numbers):
            return None
    return SineCosineLoop(
        angles.pop(), {node: "sine" if op == SIN else "cosine" for node, op in pairs.items()}
    )


def sines_cosines() -> str:
    """The function, operation by operation as `sine_cosine` within its limit. The number of quarter
    turns is read off the sum that rounds it."""
    horner = [
        f"ps[k] = fma(ps[k], z[k], {SIN_COEFFICIENTS[degree]!r}), "
        f"pc[k] = fma(pc[k], z[k], {COS_COEFFICIENTS[degree]!r});"
        for degree in range(4, -1, -1)
    ]
    steps = [
        f"q[k] = fma(x[k], {TWO_OVER_PI!r}, {MAGIC!r}), r[k] = x[k];",
        f"quarter[k] = __double2loint(q[k]), q[k] -= {MAGIC!r};",
        *(f"r[k] = fma(-q[k], {part!r}, r[k]);" for part in PI_HALF),
        "z[k] = r[k] * r[k];",
        f"ps[k] = {SIN_COEFFICIENTS[5]!r}, pc[k] = {COS_COEFFICIENTS[5]!r};",
        *horner,
        "pc[k] = fma(z[k] * z[k], pc[k], fma(-0.5, z[k], 1.0));",
        "ps[k] = fma(r[k] * z[k], ps[k], r[k]);",
        "s[k] = quarter[k] & 1 ? pc[k] : ps[k], c[k] = quarter[k] & 1 ? ps[k] : pc[k];",
        "s[k] = quarter[k] & 2 ? -s[k] : s[k], c[k] = (quarter[k] + 1) & 2 ? -c[k] : c[k];",
    ]
    return _TEXT.format(steps="\n".join(f"    EACH {step}" for step in steps))


_TEXT = """\
#define EACH _Pragma("unroll") for (int k = 0; k < n; k++)
template <int n>
static __device__ __forceinline__ void near_sines_cosines(const real (&x)[n], real (&s)[n],
                                                          real (&c)[n])
{{
    real q[n], r[n], z[n], ps[n], pc[n];
    int quarter[n];
{steps}
}}
"""


_UNROLLED = 3  # iterations at a time: values that are handed on need no moves


_SHORT = 60  # operations of an iteration that is over before far memory answers


_FUNCTION = """\
static __device__ const real rows[] = {{{rows}}};

/* Loops read their numbers from memory that the block shares. */
static __device__ __forceinline__ void prepare()
{{
    MINE(k, {count})
        store[{start} + k] = rows[k];
    __syncthreads();
}}

static __device__ __forceinline__ void call(ARGUMENTS, real *out)
{{
    const real *const table = store + {start};
    real *const own = store + threadIdx.x, far[{far}];
{lines}}}
"""


def function_in_loops(
    rolled: RolledProgram, layout: Layout, block: int, name: str
) -> tuple[str, int]:
    """As `device_function` in double precision, after `name::prepare()`, for blocks of so many
    threads; and how many numbers a block shares. Further macros: BLOCK is their number, MINE(k, n)
    a loop over a thread's share of n, STAGE(to, from) copies an argument, STAGE_END() ends some
    copies, and STAGED(n) waits for all but the last n of such groups."""
    printer = _Printer(rolled, layout)
    lines = "".join(f"    {line}\n" for line in printer.lines())
    start = layout.near * block
    text = _FUNCTION.format(
        rows=C99.numbers(printer.numbers), count=len(printer.numbers), start=start,
        far=layout.far, lines=lines,
    )  # fmt: skip
    apart = f"static __constant__ double numbers[] = {{{', '.join(printer.speller.numbers)}}};\n"
    constants = [apart] if printer.speller.numbers else []
    return "\n".join([f"namespace {name} {{", *constants, text, "}\n"]), start + len(
        printer.numbers
    )


def numbers_in_tables(rolled: RolledProgram) -> int:
    """That `function_in_loops` has beside places of arrays."""
    total = 0
    for loop in rolled.loops:
        width = sum(isinstance(each, Numbers) for each in loop.columns)
        total += loop.count * (width + width % 2)
    return total


class _BodySpeller(CSpeller):
    """An iteration's values, with names of their own; columns as they are spelled outside."""

    real = "real"

    def __init__(self, loop: Loop, columns: list[str]) -> None:
        super().__init__(loop.body, CUDA)
        self.names = {node: f"{name[0]}_{name[1:]}" for node, name in self.names.items()}
        self._columns = columns

    def operand(self, node: int) -> str:
        if self.program.op[node] == INPUT:
            return self._columns[self.program.inputs[node][1]]
        return super().operand(node)


@dataclass
class _Columns:
    """Texts of a loop's columns, rows of its table, lines before it and at its end, and what reads
    a column for iterations to come."""

    texts: list[str] = field(default_factory=list)
    rows: list[tuple[float, ...]] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    last: list[str] = field(default_factory=list)
    ahead: dict[int, list[str]] = field(default_factory=dict)

    @property
    def width(self) -> int:
        """Of the table: rows are read by pairs."""
        return len(self.rows) + len(self.rows) % 2


class _Printer:
    def __init__(self, rolled: RolledProgram, layout: Layout) -> None:
        self.rolled, self.layout = rolled, layout
        self.speller = CudaSpeller(rolled.program, apart=True)
        self.numbers: list[float] = []  # of all loops
        self._stored: dict[int, list[tuple[int, int]]] = defaultdict(list)  # node → entries
        by_loops = {where.at(t) for loop in rolled.loops for _, where in loop.stores
                    for t in range(loop.count)}  # fmt: skip
        for number, array in enumerate(rolled.arrays):
            for index, node in sorted(array.items()):
                if (number, index) not in by_loops:
                    self._stored[node].append((number, index))

    def lines(self) -> Iterator[str]:
        """Of the whole function."""
        program, rolled = self.rolled.program, self.rolled
        staged = self._staged()
        for array, _ in staged:
            yield from self._stage(array)
        first = {nodes[0]: nodes for nodes in statements(program)}
        for number, part in enumerate(rolled.parts):
            if any(needed == number for _, needed in staged):
                yield f"STAGED({sum(needed > number for _, needed in staged)});"
            yield from self._read(number, rolled.named(part))
            if isinstance(part, Loop):
                yield from self._loop(number, part)
                continue
            for node in part:
                if node in first:
                    yield statement_line(first[node], self.speller)
                yield from self._store(node)
        left = [k for k in range(len(program.outputs)) if k not in rolled.given]
        yield from self._read(len(rolled.parts), (abs(program.outputs[k]) for k in left))
        yield from (f"{self.speller.result(k)} = {self.speller.output(k)};" for k in left)

    # ---- arguments and what is kept ------------------------------------------------------------

    def _staged(self) -> list[tuple[int, int]]:
        """Arrays that begin with arguments, with the first part that reads them, in that order."""
        rolled, first = self.rolled, {}
        for number in reversed(range(len(rolled.parts))):
            part = rolled.parts[number]
            kept = [rolled.kept[node][0] for node in rolled.named(part) if node in rolled.kept]
            fetched = [each.array for each in part.fetched] if isinstance(part, Loop) else []
            first.update(dict.fromkeys((*kept, *fetched), number))
        begun = {array for node in self._arguments() for array, _ in self._stored[node]}
        return sorted(((each, first.get(each, 0)) for each in begun), key=lambda pair: pair[1])

    def _arguments(self) -> list[int]:
        return [node for node in self._stored if self.rolled.program.op[node] == INPUT]

    def _stage(self, array: int) -> Iterator[str]:
        for node in self._arguments():
            name, place = self.rolled.program.inputs[node]
            for number, index in self._stored[node]:
                if number == array:
                    yield f"STAGE({self.layout.place(array, index)}, {name.upper()}({place}));"
        yield "STAGE_END();"

    def _read(self, part: int, needed: Iterable[int]) -> Iterator[str]:
        """What is kept in arrays and needed now, under new names."""
        for node in sorted(self.rolled.kept.keys() & set(needed)):
            name, where = f"k{part}_{node}", self.layout.place(*self.rolled.kept[node])
            yield f"const real {name} = {self._minus_sign(node)}{where};"
            self.speller.names[node] = name

    def _store(self, node: int) -> Iterator[str]:
        for entry in self._stored.get(node, ()):
            value = self._signed(node, node in self.rolled.minus)
            yield f"{self.layout.place(*entry)} = {value};"

    def _minus_sign(self, node: int) -> str:
        return "-" if node in self.rolled.minus else ""

    def _signed(self, node: int, negative: bool) -> str:
        return self.speller.negative(node) if negative else self.speller.operand(node)

    # ---- loops ---------------------------------------------------------------------------------

    def _loop(self, number: int, loop: Loop) -> Iterator[str]:
        names = {node: f"l{number}_{k}" for k, node in enumerate(loop.leaves)}
        yield from (f"real {name};" for name in names.values())
        start, whole = len(self.numbers), list(self._whole(number, loop, names))
        quick = as_sine_cosine_loop(loop, self.rolled)
        yield "{"
        if quick is not None:
            yield from self._sine_cosine_loop(loop, names, start, quick)
            yield "if (large) {"
            for array in sorted({each.array for each in loop.fetched}):
                yield from self._stage(array)
            yield from ("STAGED(0);", *whole, "}")
        else:
            yield from whole
        yield "}"
        for node, name in names.items():
            yield f"const real {self.speller.names[node]} = {self._minus_sign(node)}{name};"

    def _whole(self, number: int, loop: Loop, names: Mapping[int, str]) -> Iterator[str]:
        columns = _Columns()
        speller = _BodySpeller(loop, columns.texts)
        for k, each in enumerate(loop.columns):
            self._column(f"h{number}_{k}", k, each, loop, columns, speller)
        yield from columns.before
        yield "real *up = own, *down = own, *far_up = far, *far_down = far;"
        yield f"const real *row = table + {len(self.numbers)};"
        yield f"#pragma unroll {_UNROLLED}"
        yield f"for (int t = 0; t < {loop.count}; t++) {{"
        yield from self._table(columns.rows)
        yield from _body_lines(loop, speller, columns.ahead)
        for node, where in loop.stores:
            yield f"{self.layout.place(*where)} = {speller.operand(node)};"
        for node, first, step, negative in loop.gives:
            value = speller.negative(node) if negative else speller.operand(node)
            yield f"OUT({first} + {step} * t) = {value};"
        for node, name in names.items():
            yield f"{name} = {speller.operand(loop.leaves[node])};"
        yield from columns.last
        yield f"up += BLOCK, down -= BLOCK, far_up++, far_down--, row += {columns.width};"
        yield "}"

    def _column(
        self, name: str, k: int, column: Column, loop: Loop, columns: _Columns, speller: CSpeller,
    ) -> None:  # fmt: skip
        text = name
        if isinstance(column, Numbers):
            text = f"n{len(columns.rows) // 2}.{('one', 'other')[len(columns.rows) % 2]}"
            columns.rows.append(column.values)
        elif isinstance(column, LoopCarried):
            start = self._signed(column.start, column.negative)
            columns.before.append(f"real {name} = {start};")
            columns.last.append(f"{name} = {speller.operand(loop.made[column.operation])};")
        elif isinstance(column, LoopInvariant):
            text = self._signed(column.node, column.negative)
        else:
            self._read_ahead(name, k, column, loop, columns)
        columns.texts.append(text)

    def _read_ahead(self, name: str, k: int, where: Entries, loop: Loop, columns: _Columns) -> None:
        near = self.layout.places[where.array].near
        depth = 1 if near or len(loop.made) >= _SHORT else AHEAD
        names = [f"{name}_{k}" if k else name for k in range(depth)]
        for t, each in enumerate(names):
            columns.before.append(f"real {each} = {self.layout.place(*where.at(t))};")
        further = where._replace(first=where.at(depth)[1])
        columns.ahead[k] = [
            *(f"{one} = {other};" for one, other in pairwise(names)),
            f"{names[-1]} = {self.layout.place(*further)};",
        ]

    def _table(self, rows: list[tuple[float, ...]]) -> Iterator[str]:
        filled = [*rows, *[(0.0,) * len(row) for row in rows[: len(rows) % 2]]]
        for k in range(len(filled) // 2):
            yield f"const pair n{k} = *(const pair *)(row + {2 * k});"
        self.numbers += [each for row in zip(*filled, strict=True) for each in row]

    def _sine_cosine_loop(
        self, loop: Loop, names: Mapping[int, str], start: int, quick: SineCosineLoop
    ) -> Iterator[str]:
        columns: list[str] = []
        speller, width = _BodySpeller(loop, columns), 0
        for each in loop.columns:
            if isinstance(each, Entries):
                columns.append(self.layout.place(*each))
            else:
                columns.append(f"row[{width}]")
                width += 1
        before = [statement_line(nodes, speller) for nodes in statements(loop.body)
                  if nodes[0] not in quick.results]  # fmt: skip
        given = [(self.layout.place(*where), node) for node, where in loop.stores]
        given += [(name, loop.leaves[node]) for node, name in names.items()]
        yield from quick.lines(
            loop.count, f"table + {start} + {width + width % 2} * at", before,
            speller.operand(quick.angle), given,
        )  # fmt: skip


def _body_lines(loop: Loop, speller: CSpeller, ahead: Mapping[int, list[str]]) -> Iterator[str]:
    """The statements. A column is read ahead as soon as this iteration is through with it."""
    ordered = statements(loop.body)
    last = {each: number for number, nodes in enumerate(ordered) for node in nodes
            for each in operands(loop.body, node)}  # fmt: skip
    then: dict[int, list[str]] = defaultdict(list)
    for node, (_, column) in loop.body.inputs.items():
        then[last[node]] += ahead.get(column, ())
    for number, nodes in enumerate(ordered):
        yield statement_line(nodes, speller)
        yield from then[number]
