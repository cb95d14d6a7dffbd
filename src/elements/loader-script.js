// @ts-check
import { joinModules } from '../page/join-modules.js'

// JavaScript, since scripts/build-elements.js makes the package's loader.js of it, under any Node

/** The loader's modules, for a script that contains it: each after those that it imports. */
export const loaderModules = [
  'error.js',
  'listeners.js',
  'frame.js',
  'holder.js',
  'card.js',
  'card-fields.js',
  'load-railyard.js',
].map((name) => new URL(`loader/${name}`, import.meta.url))

/** The script for a page without a bundler: `railyard` is a global variable. */
export const loaderScript = `var railyard = (() => {
'use strict'
${joinModules(loaderModules)}
return { loadRailyard, RailyardElementsError }
})()
`
