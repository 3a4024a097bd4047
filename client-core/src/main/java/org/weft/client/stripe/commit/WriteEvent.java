package org.weft.client.stripe.commit;

/** Something that has happened to the writing of one file: an input of {@link FileWriteMachine}. */
@FunctionalInterface
interface WriteEvent {
  /** Calls the method of the machine that takes note of it. */
  void tell(FileWriteMachine machine);
}
