/** @import { Settlers } from './types.ts' */

/** `Promise.withResolvers`, which browsers have since 2024. @template Value @returns {Settlers<Value>} */
export function settleLater() {
  /** @type {(value: Value) => void} */
  let resolve = () => undefined
  /** @type {(error: Error) => void} */
  let reject = () => undefined
  /** @type {Promise<Value>} */
  const promise = new Promise((succeed, fail) => {
    resolve = succeed
    reject = fail
  })
  return { promise, resolve, reject }
}
