const TIMES = 8
const ROUNDS = 25

/**
 * How many times longer work takes on an input eight times as long: about 8 where its cost is proportional to the input, 64 where it is quadratic. Short and long inputs in turns, and
 * the fastest round of each: other workers and the collection of garbage only add.
 */
export async function growth(inputOf: (size: number) => string, size: number, work: (input: string) => unknown): Promise<number> {
  const timeOf = async (input: string) => {
    const began = performance.now()
    await work(input)
    return performance.now() - began
  }
  const [small, large] = [inputOf(size), inputOf(TIMES * size)]
  let fastest = { small: Number.POSITIVE_INFINITY, large: Number.POSITIVE_INFINITY }
  for (let round = 0; round < ROUNDS; round++)
    fastest = { small: Math.min(fastest.small, await timeOf(small)), large: Math.min(fastest.large, await timeOf(large)) }
  return fastest.large / fastest.small
}
