/** A data key in its stored form: wrapped under the master key `keyId`. */
export interface WrappedKey {
  keyId: string
  wrapped: Buffer
}

/**
 * The holder of the master keys (envelope encryption, NIST SP 800-57 part 1 §5.3.5): every secret is
 * encrypted under its own data key, and the provider only ever gets data keys. `context` names the row to
 * which a key belongs and must be the same to unwrap it.
 */
export interface KeyProvider {
  /** The id of the master key that `wrap` uses now. */
  currentKeyId(): Promise<string>
  /**
   * The names of the available master keys, the one that wraps first: of two processes with the same name
   * each can open what the other has wrapped with it.
   */
  names(): Promise<readonly string[]>
  wrap(dataKey: Buffer, context: string): Promise<WrappedKey>
  /** Throws if the master key is not available any more, or if the key was wrapped for another row. */
  unwrap(key: WrappedKey, context: string): Promise<Buffer>
}
