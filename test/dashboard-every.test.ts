import { expect, test } from 'vitest'
import { every } from '../dashboard/src/api/every.ts'

async function* numbers(count: number) {
  for (let number = 0; number < count; number += 1) yield number
}

test('a list that the dashboard loads whole has no end of its own', async () => {
  expect(await every(numbers(2_500))).toHaveLength(2_500)
})
