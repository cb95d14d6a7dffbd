/** Bytes as base64url without padding. */
export const encodeBytes = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

export const bytesOf = (text: string) => new TextEncoder().encode(text)

export const encodeJson = (value: object): string => encodeBytes(bytesOf(JSON.stringify(value)))

/** The bytes that base64 stands for. */
export const decodeBase64 = (text: string) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
