package org.weft.it.nfs;

/** A program on a mount, which does one round after another. */
interface MountProgram {
  String name();

  /**
   * One round.
   *
   * @throws ProgramError if the program is given what it must not be given; it does no more then
   */
  void round() throws ProgramError;

  /** When all faults are over: everything is looked at once more. */
  void finish() throws ProgramError;
}
