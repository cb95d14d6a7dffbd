/** A data key as it is stored: wrapped under the master key that `keyId` names. */
export interface WrappedKey {
  keyId: string
  wrapped: Buffer
}

/**
 * Who holds the master keys (envelope encryption, NIST SP 800-57 part 1 §5.3.5): every secret is encrypted under a data key of its own, and only data keys
 * are ever shown to the provider. `context` says which row a key belongs to and must be the same to unwrap it.
 */
export interface KeyProvider {
  /** The id of the master key that `wrap` uses now. */
  currentKeyId(): Promise<string>
  /** Names of the master keys that are at hand, the one that wraps first: two processes that name the same one can open what either has wrapped with it. */
  names(): Promise<readonly string[]>
  wrap(dataKey: Buffer, context: string): Promise<WrappedKey>
  /** Throws where the master key is not known any more, or the key was wrapped for another row. */
  unwrap(key: WrappedKey, context: string): Promise<Buffer>
}
