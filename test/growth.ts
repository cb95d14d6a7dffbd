const TIMES = 8
const ROUNDS = 7

/**
 * How many times longer work takes on an input eight times as long: about 8 where its cost is proportional to the input, 64 where it is quadratic. The fastest of some rounds
 * each, since whatever else the machine does only adds.
 */
export async function growth(inputOf: (size: number) => string, size: number, work: (input: string) => unknown): Promise<number> {
  const fastest = async (input: string) => {
    let least = Number.POSITIVE_INFINITY
    for (let round = 0; round < ROUNDS; round++) {
      const began = performance.now()
      await work(input)
      least = Math.min(least, performance.now() - began)
    }
    return least
  }
  const [small, large] = [inputOf(size), inputOf(TIMES * size)]
  await fastest(small)
  return (await fastest(large)) / (await fastest(small))
}
