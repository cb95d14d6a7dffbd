/** Answered in place of a secret that is set. A client that sends it back leaves the secret as it is. */
export const SECRET_MASK = '********'
