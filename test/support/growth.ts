const TIMES = 8
const ROUNDS = 25

/**
 * The factor by which work takes longer on an input eight times as long: about 8 if its cost is linear, 64 if
 * it is quadratic. The short input is worked on eight times, so that other processes interrupt it as often as the long
 * one. Both alternate, and the fastest round of each counts: interruptions and garbage collection only add time.
 */
export async function growth(
  inputOf: (size: number) => string,
  size: number,
  work: (input: string) => unknown,
): Promise<number> {
  const timeOf = async (input: string, times: number) => {
    const began = performance.now()
    for (let time = 0; time < times; time++) await work(input)
    return (performance.now() - began) / times
  }
  const [small, large] = [inputOf(size), inputOf(TIMES * size)]
  let fastest = { small: Number.POSITIVE_INFINITY, large: Number.POSITIVE_INFINITY }
  for (let round = 0; round < ROUNDS; round++)
    fastest = {
      small: Math.min(fastest.small, await timeOf(small, TIMES)),
      large: Math.min(fastest.large, await timeOf(large, 1)),
    }
  return fastest.large / fastest.small
}
