import type { AnalysisKind } from "@kernelbot/core";

export function snapshotPath(id: number): string {
  return `/data/${id}`;
}

export function filePath(id: number, path: string): string {
  return `/api/v1/datasets/${id}/files/${path.split("/").map(encodeURIComponent).join("/")}`;
}

export function analysisPath(id: number, competition: string, user?: string): string {
  const path = `/data/${id}/${encodeURIComponent(competition)}`;
  return user === undefined ? path : `${path}?user=${encodeURIComponent(user)}#author`;
}

export function tablePath(
  id: number,
  competition: string,
  kind: AnalysisKind,
  format: "csv" | "json",
  user?: string,
): string {
  const query = new URLSearchParams({ format, ...(user !== undefined && { user }) });
  return `/data/${id}/${encodeURIComponent(competition)}/${kind}?${query}`;
}
