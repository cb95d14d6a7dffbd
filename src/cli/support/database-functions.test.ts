import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

test('a command that migrates knows every function of the service', async () => {
  const list = 'src/cli/support/database-functions.ts'
  const imported = [...readFileSync(list, 'utf8').matchAll(/^import '(.+)'$/gm)].map(([, path = '']) =>
    join(dirname(list), path),
  )
  const defining: string[] = []
  for await (const path of glob('src/**/*.ts'))
    if (!/\.test\.ts$|sql-function\.ts$/.test(path) && /\bsqlFunction\(\{/.test(readFileSync(path, 'utf8')))
      defining.push(path)
  expect(imported.toSorted()).toEqual(defining.toSorted())
})
