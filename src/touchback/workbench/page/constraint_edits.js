// Changes of constraints as messages: one place that knows how the run wants them said.
export const EDITS = {
  kind: (joint, kind, axis) => ({ do: "edit", change: "kind", joint, kind, ...(axis ? { axis } : {}) }),
  weld: joint => ({ do: "edit", change: "weld", joint }),
  free: joint => ({ do: "edit", change: "free", joint }),
  limits: (joint, coordinate, low, high) => ({ do: "edit", change: "limits", joint, coordinate, low, high }),
  friction: (joint, coordinate, value) => ({ do: "edit", change: "friction", joint, coordinate, value }),
  placement: (joint, by, numbers, sequence) => ({ do: "edit", change: "placement", joint, by,
    ...(by === "euler" ? { at: numbers.slice(0, 3), angles: numbers.slice(3), sequence } : { parameters: numbers }) }),
  tie: (name, kind, a, b) => ({ do: "edit", change: "add loop", loop: name, kind, a, b }),
  untie: loop => ({ do: "edit", change: "remove loop", loop }),
};

/** Sends an edit; its report goes to the inspector, a refusal to the person. */
export async function edit(bench, message) {
  const answer = await bench.try(message);
  if (answer) bench.tell("edited", answer);
  return answer;
}
