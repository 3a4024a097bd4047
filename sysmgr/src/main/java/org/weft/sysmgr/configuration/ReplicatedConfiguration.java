package org.weft.sysmgr.configuration;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.weft.protocol.seam.ReplicatedLog;
import org.weft.sysmgr.configuration.cluster.EventLog;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.stored.AnswerCodec;
import org.weft.sysmgr.configuration.stored.CommandCodec;
import org.weft.sysmgr.configuration.stored.SnapshotCodec;

/**
 * The configuration as a log drives it. The log's thread owns the machine; {@link #current} hands
 * every other thread the last state, which is immutable.
 */
public final class ReplicatedConfiguration implements ReplicatedLog.Machine {
  private ConfigurationMachine machine = new ConfigurationMachine();
  private volatile Configuration current = Configuration.EMPTY;
  private volatile EventLog events = EventLog.EMPTY;

  /** The state after the last entry applied here. */
  public Configuration current() {
    return current;
  }

  /** What happened last, after the last entry applied here. */
  public EventLog events() {
    return events;
  }

  @Override
  public void check(byte[] command) {
    CommandCodec.decode(command);
  }

  /**
   * An entry that cannot be read stops this member: to skip it would make its state differ from
   * that of members which can.
   */
  @Override
  public byte[] apply(long index, byte[] command) {
    Command decoded;
    try {
      decoded = CommandCodec.decode(command);
    } catch (IllegalArgumentException e) {
      throw new IllegalStateException(
          "entry "
              + index
              + " of the configuration's log: "
              + e.getMessage()
              + "; this member stops, because its state would differ from that of the others",
          e);
    }
    CommandCodec.Origin origin = CommandCodec.origin(command);
    CommandResult answer = machine.apply(decoded, origin.nowMillis(), origin.user());
    machine.used(origin.number());
    current = machine.state();
    events = machine.events();
    return AnswerCodec.encode(answer);
  }

  @Override
  public void save(OutputStream target) throws IOException {
    SnapshotCodec.write(machine.state(), machine.events(), target);
  }

  @Override
  public void load(InputStream source) throws IOException {
    byte[] snapshot = source.readAllBytes();
    machine =
        new ConfigurationMachine(
            SnapshotCodec.read(new ByteArrayInputStream(snapshot)),
            SnapshotCodec.readEvents(snapshot));
    current = machine.state();
    events = machine.events();
  }
}
