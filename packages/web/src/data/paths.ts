import type { AnalysisKind } from "@kernelbot/core";

export function snapshotPath(id: number): string {
  return `/data/${id}`;
}

export function filePath(id: number, path: string): string {
  return `/api/v1/datasets/${id}/files/${path.split("/").map(encodeURIComponent).join("/")}`;
}

export function analysisPath(id: number, competition: string): string {
  return `/data/${id}/${encodeURIComponent(competition)}`;
}

export function tablePath(id: number, competition: string, kind: AnalysisKind, format: "csv" | "json"): string {
  return `${analysisPath(id, competition)}/${kind}?format=${format}`;
}
