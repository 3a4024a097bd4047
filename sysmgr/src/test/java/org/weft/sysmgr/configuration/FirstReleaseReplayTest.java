package org.weft.sysmgr.configuration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.wire.ConfigurationSnapshot;
import org.weft.protocol.wire.StoredOsd;
import org.weft.protocol.wire.StoredQuarantine;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.OsdNode;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.stored.SnapshotCodec;
import org.weft.sysmgr.configuration.volume.Volume;

/**
 * A snapshot of the first release (format 1), and the commands that its log has behind it: an OSD
 * is open to no volume that it would not be open to if all of the log were replayed, and what is
 * closed beyond that opens once its managers have compared the OSD.
 */
final class FirstReleaseReplayTest {
  private static final int SEEDS = 100;
  private static final int COMMANDS = 160;

  /** One quarantine of one OSD. */
  private record Numbered(OsdId osd, long number) {}

  private final Map<Numbered, SortedSet<PartitionId>> compared = new HashMap<>();
  private int closedLonger;

  @Test
  void anOldLogOpensOnlyWhatAReplayOpens() throws IOException {
    int replayed = 0;
    for (long seed = 1; seed <= SEEDS; seed++) {
      replayed += replay(seed) ? 1 : 0;
    }
    assertTrue(replayed > SEEDS / 4, "snapshots with quarantines: " + replayed);
    assertTrue(closedLonger > 0, "volumes that were made during a quarantine");
  }

  /** False if no quarantine lasts when the snapshot is written. */
  private boolean replay(long seed) throws IOException {
    compared.clear();
    RandomCommands commands = new RandomCommands(seed);
    ConfigurationMachine whole = new ConfigurationMachine();
    whole.apply(commands.format());
    int written = COMMANDS / 2 + commands.below(COMMANDS / 2);
    for (int number = 0; number < written; number++) {
      apply(whole, commands.draw(whole.state()));
    }
    if (whole.state().osds().values().stream().noneMatch(osd -> osd.quarantine().active())) {
      return false;
    }
    ConfigurationMachine later = new ConfigurationMachine(firstRelease(whole.state()));
    requireClosed(whole.state(), later.state(), seed);
    for (int number = written; number < COMMANDS; number++) {
      Command command = commands.draw(whole.state());
      apply(whole, command);
      later.apply(command);
      requireClosed(whole.state(), later.state(), seed);
    }
    requireOpensInTheEnd(later, seed);
    return true;
  }

  private void apply(ConfigurationMachine machine, Command command) {
    CommandResult answer = machine.apply(command);
    if (command instanceof Command.Readmit readmit && !(answer instanceof CommandResult.Refused)) {
      compared
          .computeIfAbsent(
              new Numbered(readmit.osd(), readmit.quarantine()), key -> new TreeSet<>())
          .add(readmit.volume());
    }
  }

  /** The state, as the first release would have written it. */
  private Configuration firstRelease(Configuration state) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    SnapshotCodec.write(state, bytes);
    ConfigurationSnapshot.Builder first =
        ConfigurationSnapshot.parseFrom(bytes.toByteArray()).toBuilder().setFormatVersion(1);
    for (StoredOsd.Builder osd : first.getOsdsBuilderList()) {
      if (osd.hasQuarantine()) {
        StoredQuarantine.Builder quarantine = osd.getQuarantineBuilder().clearClosed().clearOpen();
        if (quarantine.getActive()) {
          quarantine.addAllReadmittedBy(
              compared
                  .getOrDefault(
                      new Numbered(new OsdId(osd.getOsdId()), quarantine.getNumber()),
                      new TreeSet<>())
                  .stream()
                  .map(PartitionId::value)
                  .toList());
        }
      }
    }
    return SnapshotCodec.read(new ByteArrayInputStream(first.build().toByteArray()));
  }

  private void requireClosed(Configuration whole, Configuration later, long seed) {
    assertEquals(whole.osds().keySet(), later.osds().keySet(), "seed " + seed);
    for (OsdNode osd : whole.osds().values()) {
      OsdNode other = later.osds().get(osd.id());
      if (other.quarantine().number() == osd.quarantine().number()) {
        SortedSet<PartitionId> beyond = new TreeSet<>(later.open(other));
        beyond.removeAll(whole.open(osd));
        assertEquals(new TreeSet<>(), beyond, () -> "seed " + seed + ": " + osd + ", " + other);
        closedLonger += whole.open(osd).size() - later.open(other).size();
      }
    }
  }

  /** The managers of all volumes compare it. */
  private static void requireOpensInTheEnd(ConfigurationMachine machine, long seed) {
    for (OsdNode osd : machine.state().osds().values()) {
      if (osd.node().liveness() == Liveness.DOWN) {
        continue;
      }
      for (PartitionId id : machine.state().awaited(osd)) {
        Volume volume = machine.state().volumes().get(id);
        CommandResult answer =
            machine.apply(
                new Command.Readmit(
                    volume.owner().orElseThrow(),
                    id,
                    volume.epoch(),
                    osd.id(),
                    osd.node().incarnation(),
                    osd.quarantine().number()));
        assertFalse(answer instanceof CommandResult.Refused, () -> "seed " + seed + ": " + answer);
      }
      assertFalse(machine.state().osds().get(osd.id()).quarantine().active(), () -> "seed " + seed);
    }
  }
}
