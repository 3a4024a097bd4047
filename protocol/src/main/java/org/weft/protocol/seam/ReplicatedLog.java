package org.weft.protocol.seam;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.weft.protocol.rpc.Endpoint;

/**
 * A log of commands that a majority of the members agreed on: Ratis in a daemon, an ordered list in
 * the simulator. Thread-safe.
 */
public interface ReplicatedLog extends AutoCloseable {
  /** What the log drives. All calls come from one thread, in log order, alike on every member. */
  interface Machine {
    /**
     * Says whether a command could be applied, before it reaches the log. Called on any thread;
     * reads and changes no state.
     *
     * @throws IllegalArgumentException if the command cannot be read; it is then refused
     */
    void check(byte[] command);

    /**
     * Applies a committed command and returns its answer. Draws no random number, reads no clock.
     */
    byte[] apply(long index, byte[] command);

    /** Writes the whole state. */
    void save(OutputStream target) throws IOException;

    /** Replaces the whole state. */
    void load(InputStream source) throws IOException;
  }

  /**
   * Proposes a command. Completes with the machine's answer after a majority has it durably and
   * this member has applied it; fails with NOT_LEADER on a member that does not lead.
   */
  CompletionStage<byte[]> propose(byte[] command);

  /**
   * Completes once this member leads and has applied everything committed before: a barrier for
   * reads.
   */
  CompletionStage<Void> readBarrier();

  boolean isLeader();

  /** RPC address of the leader as far as known. */
  Optional<Endpoint> leader();

  @Override
  void close() throws IOException;
}
