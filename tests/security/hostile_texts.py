"""Texts that a page, a picture, a terminal or a spreadsheet might take for something else."""

from __future__ import annotations

from theory.claims import CheckContext, Claim, Kind
from theory.verdicts import (
    Bars,
    Counterexample,
    DiagramNode,
    Exhibit,
    Finding,
    LatticeDiagram,
    LatticeNode,
    LatticeStep,
    Scope,
    Status,
    Strength,
    Table,
    TreeDiagram,
)

IN_LATEX = (
    r"\text{<script>alert(1)</script>}",
    r"\text{<script src=https://evil.example/x.js></script>}",
    r"\text{<SCRIPT>alert(1)</SCRIPT>}",
    r"\text{<img src=x onerror=alert(1)/>}",
    r"\text{<img src='x' onerror='alert(1)'/>}",
    r"\text{<mi onclick='alert(1)'>x</mi>}",
    r"\text{<mi>x</mi>}",
    r"\text{<svg onload='alert(1)'></svg>}",
    r"\text{<svg:script xmlns:svg='http://www.w3.org/2000/svg'>alert(1)</svg:script>}",
    r"\text{<h:script xmlns:h='http://www.w3.org/1999/xhtml'>alert(1)</h:script>}",
    r"\text{<iframe src='https://evil.example'></iframe>}",
    r"\text{<style>*{background:url(https://evil.example)}</style>}",
    r"\text{<link rel='stylesheet' href='https://evil.example'/>}",
    r"\text{<base href='https://evil.example'/>}",
    r"\text{<meta http-equiv='refresh' content='0;url=https://evil.example'/>}",
    r"\text{<a href='javascript:alert(1)'>x</a>}",
    r"\text{<annotation-xml encoding='text/html'><script>alert(1)</script></annotation-xml>}",
    r"\text{</mtext></math><script>alert(1)</script><math><mtext>}",
    r"\text{<![CDATA[<script>alert(1)</script>]]>}",
    r"\text{&lt;script&gt;alert(1)&lt;/script&gt;}",
    r"\text{<?xml-stylesheet href='https://evil.example'?>}",
    r"\text{<!-- --><script>alert(1)</script>}",
    r"\text{<object data='data:text/html,x'></object>}",
    r"\text{<math href='javascript:alert(1)'>x</math>}",
    r"\text{<mglyph src='https://evil.example/x.png'/>}",
    r"\text{<maction actiontype='statusline'>x</maction>}",
    r"\text{<form action='https://evil.example'><input autofocus='' onfocus='alert(1)'/></form>}",
    r"\text{<video src='x' onerror='alert(1)'></video>}",
    r"\mathrm{<script>alert(1)</script>}",
    r"\operatorname{<script>alert(1)</script>}",
    r"\mbox{<script>alert(1)</script>}",
    r"\textbf{<script>alert(1)</script>}",
    r"\href{javascript:alert(1)}{x}",
    r"\href{data:text/html,<script>alert(1)</script>}{x}",
    r"\href{https://evil.example}{\text{x}}",
    r"\url{javascript:alert(1)}",
    r"\style{background:url(https://evil.example)}{x}",
    r"\class{evil}{x}",
    r"\cssId{evil}{x}",
    r"\color{red' onclick='alert(1)}{x}",
    r'\color{red" onclick="alert(1)}{x}',
    r"\textcolor{url(https://evil.example)}{x}",
    r"\begin{array}{c' onclick='alert(1)}x\end{array}",
    r"\hspace{1em' onclick='alert(1)}",
    r"\notacommand{\tag{1}}\tag",
    r"\includegraphics{https://evil.example/x.png}",
    r"\unicode{x3C}script\unicode{x3E}",
    r"\frac{1}",
    r"x^",
    "{" * 400 + "x" + "}" * 400,
    "\x1b]0;owned\x07\x1b[2J\x00\x08\x9b31m",
    r"\text{" + "\x1b[31m\x00\u202e" + "}",
)

PLAIN = (
    "<script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "</style><script>alert(1)</script>",
    "--></p><script>alert(1)</script><!--",
    '" onmouseover="alert(1)',
    "' onmouseover='alert(1)",
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "{{ 7 * 7 }}{% include 'x' %}",
    "font-family: ",
    ' font-family: x; " onload="alert(1)',
    '<metadata><style></style></metadata> id="text1"',
    "]]><svg onload=alert(1)>",
    "&#60;script&#62;",
    "https://evil.example/x.png",
    "\x1b[31mred\x1b[0m\x1b]8;;https://evil.example\x07link\x1b]8;;\x07",
    "\x00\x01\x07\x08\x0b\x0c\x1f\x7f\x80\x85\x9b\x9d",
    "abc\u202edcba\u202c\u2066x\u2069\u200f\u061c",
    "a\rb\u2028c\u2029d",
    "\ud800 \udfff \ufffe \uffff",
    r"$\notacommand",
    r"$\notacommand$",
    r"$x^$ $\frac{1}$",
    "=1+1",
    "@SUM(1)",
)

TEXTS = (*PLAIN, *(f"${latex}$" for latex in IN_LATEX))


def hostile(context: CheckContext) -> Finding:
    """Say hostile things in every part of a finding."""
    first, second = PLAIN[0], PLAIN[4]
    nodes = [DiagramNode(-1, "", first)]
    nodes += [DiagramNode(0, text, text, PLAIN[1], (second,)) for text in PLAIN]
    items = [LatticeNode((), second, (first,))]
    items += [LatticeNode((text,), text, (first,)) for text in PLAIN]
    table = Table(caption=first, columns=(second, first), rows=tuple((t, t) for t in TEXTS))
    pictures = (
        TreeDiagram(caption=first, nodes=tuple(nodes), legend=((second, first),)),
        LatticeDiagram(
            caption=first,
            nodes=tuple(items),
            steps=tuple(LatticeStep((), (text,), first, text) for text in PLAIN),
            legend=((first, second),),
        ),
    )
    bars = Bars(caption=first, unit=second, labels=PLAIN, values=(1.0,) * len(PLAIN))
    exhibit = Exhibit(summary=first, story=TEXTS, tables=(table,), diagrams=pictures)
    return Finding(
        status=Status.REFUTED,
        strength=Strength.EXACT,
        scope=Scope(
            family=first, instances=1, met_hypotheses=1, nontrivial=1, sizes=second, exhausted=True
        ),
        reason="\n".join(TEXTS),
        evidence=(*TEXTS, table, bars, *pictures),
        counterexample=Counterexample(exhibit=exhibit, minimality=first),
        tolerances={first: second},
    )


class HostileError(ValueError):
    """What somebody's check raises."""


def raising(context: CheckContext) -> Finding:
    """Raise an error that says hostile things."""
    raise HostileError("\n".join(TEXTS))


CLAIMS = (
    Claim(
        id='hostile."><script>alert(1)</script>',
        kind=Kind.THEOREM,
        source=" ".join(PLAIN),
        title=" ".join(TEXTS),
        statement=" ".join(TEXTS),
        hypotheses=TEXTS,
        reading=" ".join(TEXTS),
        note=" ".join(TEXTS),
        proof_idea=" ".join(TEXTS),
        proof=PLAIN[0],
        check=hostile,
        expected=Status.REFUTED,
    ),
    Claim(
        id="hostile.\x1b[31m\u202eraises",
        kind=Kind.THEOREM,
        source=PLAIN[15],
        title=PLAIN[15],
        statement=PLAIN[15],
        check=raising,
        expected=Status.HOLDS,
        corrects='hostile."><script>alert(1)</script>',
    ),
)
