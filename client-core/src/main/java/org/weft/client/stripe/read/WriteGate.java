package org.weft.client.stripe.read;

/**
 * Lets writers to some memory in until its owner takes it back. They wait for nothing between
 * {@link #enter} and {@link #leave}.
 */
interface WriteGate {
  /** Of memory that is never taken back before all writers are done. */
  WriteGate OPEN =
      new WriteGate() {
        @Override
        public boolean enter() {
          return true;
        }

        @Override
        public void leave() {}
      };

  /** A writer begins; false if the memory has been taken back, and nothing may be written. */
  boolean enter();

  /** A writer that has entered is done. */
  void leave();
}
