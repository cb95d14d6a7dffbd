import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { pages } from '../scripts/reference/pages.ts'

test.each(Object.entries(pages))(
  '%s is what the source says: npm run docs:reference writes it',
  (path, write) => {
    expect(readFileSync(path, 'utf8')).toBe(write())
  },
)
