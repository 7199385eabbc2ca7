/** The part of dagre that is used. Node.js does not resolve the package's own declarations, which omit extensions. */
declare module "@dagrejs/dagre" {
  export class Graph {
    setGraph(options: { nodesep: number; ranksep: number; marginx: number; marginy: number }): this;
    setNode(name: string, size: { width: number; height: number }): void;
    setEdge(from: string, to: string, label: object): void;
    /** Size of the picture, after `layout`. */
    graph(): { width: number; height: number };
    /** Centre and width of a node, after `layout`. */
    node(name: string): { x: number; y: number; width: number };
    /** Points that an arrow passes, after `layout`. */
    edge(from: string, to: string): { points: { x: number; y: number }[] };
  }
  export function layout(graph: Graph): void;
}
