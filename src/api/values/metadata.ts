/** Whether a metadata map exceeds the bounds of what is stored (semantics §1.7). */
export const isMetadataTooLarge = (metadata: Record<string, string>): boolean =>
  Object.keys(metadata).length > 50 ||
  Object.entries(metadata).some(([key, value]) => key.length > 100 || value.length > 500)
