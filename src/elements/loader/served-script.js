/** @import { ServedScript } from '../providers/provider.ts' */
import { RailyardElementsError } from './error.js'

/** The scripts that are on their way to the page, by URL. @type {Map<string, Promise<void>>} */
const loads = new Map()

/**
 * Loads a script that Railyard serves, once. A load that failed is tried again. Rejects with `script_failed`.
 * @param {string} base
 * @param {ServedScript} script
 */
export function loadServedScript(base, { file, integrity }) {
  const src = `${base}/elements/assets/${file}`
  const load =
    loads.get(src) ??
    new Promise((resolve, reject) => {
      const attributes = { src, integrity, type: 'module', crossOrigin: 'anonymous' }
      const script = Object.assign(document.createElement('script'), attributes)
      script.onload = () => resolve(undefined)
      script.onerror = () => {
        script.remove()
        loads.delete(src)
        reject(new RailyardElementsError('script_failed'))
      }
      document.head.append(script)
    })
  loads.set(src, load)
  return load
}
