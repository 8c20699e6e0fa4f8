// The order of processes and tracks, which the user changes by moving them.

// The groups and their members, the busiest first.
export function byActivity(groups) {
  const busiest = (list) => [...list].sort((a, b) => b.busy - a.busy);
  const sorted = groups.map((group) => ({ ...group, members: busiest(group.members), busy: group.members.reduce((sum, { busy }) => sum + busy, 0) }));
  return busiest(sorted);
}

// The groups and their members after some moves. A move is two paths: an item, and the one of the same list that it was
// put before; it was put at the end if there is none.
export function inOrder(groups, moves, pathOf) {
  const ordered = groups.map((group) => ({ ...group, members: [...group.members] }));
  const lists = [ordered, ...ordered.map(({ members }) => members)];
  for (const [path, before] of moves) {
    const at = (list, wanted) => list.findIndex(({ item }) => item && pathOf(item) === wanted);
    const list = lists.find((one) => at(one, path) >= 0);
    if (!list) continue;
    const [moved] = list.splice(at(list, path), 1);
    const to = before ? at(list, before) : -1;
    list.splice(to < 0 ? list.length : to, 0, moved);
  }
  return ordered;
}
