package org.weft.it.nfs;

/** A program was given an error, or bytes or names, that it must not be given. */
final class ProgramError extends Exception {
  private static final long serialVersionUID = 1;

  ProgramError(String what) {
    super(what);
  }
}
