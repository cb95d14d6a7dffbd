/** An error that the operator can fix. The command prints it as one line, without a stack. */
export class UserError extends Error {}
