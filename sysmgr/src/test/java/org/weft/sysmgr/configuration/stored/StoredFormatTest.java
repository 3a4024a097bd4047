package org.weft.sysmgr.configuration.stored;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.UnknownFieldSet;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.wire.ConfigurationCommand;
import org.weft.protocol.wire.ConfigurationSnapshot;
import org.weft.protocol.wire.StoredQuarantine;
import org.weft.sysmgr.configuration.ConfigurationMachine;
import org.weft.sysmgr.configuration.Joins;
import org.weft.sysmgr.configuration.ReplicatedConfiguration;
import org.weft.sysmgr.configuration.cluster.Secret;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.Quarantine;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.volume.Volume;

/** Bytes that the first release has written stay readable, and mean the same. */
final class StoredFormatTest {
  private static final byte UNKNOWN_FORMAT = 3 + CommandNumbers.NEWEST + 1;

  /** The field that every command ends with: where classes are in no jar, "development". */
  private static final String RELEASE = "82040b646576656c6f706d656e74";

  private static final List<Command> COMMANDS =
      List.of(
          new Command.Format(
              new ClusterId("0123456789abcdef0123456789abcdef"),
              "weft",
              Secret.of(new byte[] {'t', 'o', 'k', 'e', 'n'}),
              "root",
              Secret.of(new byte[32]),
              1_000),
          join(NodeKey.Kind.OSD, 7400, 3, true),
          join(NodeKey.Kind.MANAGER, 7310, 0, false),
          new Command.Acquire(new ManagerId(1), 0, 0x1122334455667788L, 4_000, Optional.empty()),
          new Command.Formatted(new ManagerId(1), Volume.ROOT, 1),
          new Command.SetLiveness(
              List.of(
                  new Command.Judgement(
                      new NodeKey(NodeKey.Kind.OSD, 1), 3, Liveness.DOWN, true, 0)),
              5_000));

  private static final List<String> GOLDEN_COMMANDS =
      List.of(
          "0a5a0a2030313233343536373839616263646566303132333435363738396162636465661204"
              + "776566741a05746f6b656e2204726f6f742a2000000000000000000000000000000000000000"
              + "0000000000000000000000000030e807",
          "12310a0c6f73642d6964656e74697479220e0a093132372e302e302e3110e8392a06686f7374"
              + "2d31300338808040400148d00f",
          "1a310a106d616e616765722d6964656e74697479220e0a093132372e302e302e31108e392a06"
              + "686f73742d313880804048d00f",
          "2a0e080111887766554433221118a01f",
          "3206080110011801",
          "220d0a080801180320032801108827");

  private static final String GOLDEN_SNAPSHOT =
      "080112380a203031323334353637383961626364656630313233343536373839616263646566"
          + "1204776566741a05746f6b656e2204726f6f7428e8071a090a0764656661756c742243080112"
          + "2f0a0c6f73642d6964656e74697479120e0a093132372e302e302e3110e8391a06686f73742d"
          + "312003280330882738011a0764656661756c742080804028d00f2a3d0801122f0a106d616e61"
          + "6765722d6964656e74697479120e0a093132372e302e302e31108e391a06686f73742d312801"
          + "30d00f1a0888776655443322113218080112012f180120012802320764656661756c74380148"
          + "013a2a0801122408011220000000000000000000000000000000000000000000000000000000"
          + "000000000018014006480250015801";

  private static Command join(NodeKey.Kind kind, int port, long incarnation, boolean unclean) {
    return Joins.of(
        kind,
        kind.word() + "-identity",
        "",
        0,
        List.of(new Endpoint("127.0.0.1", port)),
        "host-1",
        incarnation,
        1 << 20,
        unclean,
        2_000);
  }

  private static Configuration afterAll() {
    ConfigurationMachine machine = new ConfigurationMachine();
    COMMANDS.forEach(machine::apply);
    return machine.state();
  }

  private static byte[] snapshot(Configuration state) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    SnapshotCodec.write(state, bytes);
    return bytes.toByteArray();
  }

  @Test
  void commandsOfTheFirstReleaseAreRead() {
    for (int i = 0; i < COMMANDS.size(); i++) {
      byte[] golden = HexFormat.of().parseHex(GOLDEN_COMMANDS.get(i));
      assertEquals(COMMANDS.get(i), CommandCodec.decode(golden));
      assertEquals(
          GOLDEN_COMMANDS.get(i) + RELEASE,
          HexFormat.of().formatHex(CommandCodec.encode(COMMANDS.get(i))));
    }
  }

  @Test
  void aCommandOfANewerReleaseNamesThatRelease() {
    byte[] newer =
        ConfigurationCommand.newBuilder()
            .setRelease("7.1")
            .setUnknownFields(
                UnknownFieldSet.newBuilder()
                    .addField(63, UnknownFieldSet.Field.newBuilder().addVarint(1).build())
                    .build())
            .build()
            .toByteArray();
    ReplicatedConfiguration configuration = new ReplicatedConfiguration();
    IllegalStateException stopped =
        assertThrows(IllegalStateException.class, () -> configuration.apply(9, newer));
    assertTrue(
        stopped.getMessage().contains("run release '7.1' or a newer one"), stopped::getMessage);
    assertThrows(IllegalArgumentException.class, () -> configuration.check(newer));
  }

  private static Configuration withVersion(Configuration state, long version) {
    return new Configuration(
        state.cluster(),
        state.bladeSets(),
        state.osds(),
        state.managers(),
        state.volumes(),
        state.partitions(),
        state.tableVersion(),
        state.partitionsVersion(),
        state.lastOsdId(),
        state.lastManagerId(),
        state.history(),
        state.sysmgr(),
        state.histories(),
        version,
        state.nfs());
  }

  @Test
  void aSnapshotOfTheFirstReleaseIsRead() throws IOException {
    byte[] golden = HexFormat.of().parseHex(GOLDEN_SNAPSHOT);
    Configuration all = afterAll();
    Configuration read = SnapshotCodec.read(new ByteArrayInputStream(golden));
    assertEquals(all, withVersion(read, all.version()));
    // Version 2 of the format, how often the configuration has changed, and the release.
    String now =
        "0802"
            + GOLDEN_SNAPSHOT.substring("0801".length())
            + "f801%02x".formatted(all.version())
            + "9a03"
            + RELEASE.substring("8204".length());
    assertEquals(now, HexFormat.of().formatHex(snapshot(afterAll())));
  }

  /** The first release wrote which volumes had compared an OSD; all others have not. */
  @Test
  void aFirstReleaseQuarantineClosesVolumesNotYetCompared() throws IOException {
    ConfigurationSnapshot.Builder first =
        ConfigurationSnapshot.parseFrom(HexFormat.of().parseHex(GOLDEN_SNAPSHOT)).toBuilder();
    first.addVolumes(first.getVolumes(0).toBuilder().setVolumeId(2).setPath("/two"));
    first.addVolumes(
        first.getVolumes(0).toBuilder().setVolumeId(3).setPath("/three").setBladeSet("other"));
    first
        .getOsdsBuilder(0)
        .setQuarantine(
            StoredQuarantine.newBuilder()
                .setNumber(4)
                .setActive(true)
                .addReadmittedBy(1)
                .setSinceMillis(9));
    Configuration read = SnapshotCodec.read(new ByteArrayInputStream(first.build().toByteArray()));
    Quarantine quarantine = read.osds().get(new OsdId(1)).quarantine();
    assertEquals(new TreeSet<>(List.of(new PartitionId(2))), quarantine.closed());
    assertEquals(new TreeSet<>(), quarantine.open());
    assertEquals(4, quarantine.number());
    assertEquals(read, SnapshotCodec.read(new ByteArrayInputStream(snapshot(read))));
  }

  @Test
  void aSnapshotOfAnotherFormatIsRefused() {
    byte[] other =
        ConfigurationSnapshot.newBuilder()
            .setFormatVersion(UNKNOWN_FORMAT)
            .setRelease("9.1")
            .build()
            .toByteArray();
    IOException failure =
        assertThrows(IOException.class, () -> SnapshotCodec.read(new ByteArrayInputStream(other)));
    assertTrue(
        failure.getMessage().contains("format " + UNKNOWN_FORMAT + " of release '9.1'"),
        failure::getMessage);
    assertTrue(failure.getMessage().contains("run release '9.1'"), failure::getMessage);
  }

  @Test
  void aSnapshotOfAnotherFormatIsRefusedWithoutAReleaseName() {
    byte[] other = {8, UNKNOWN_FORMAT};
    IOException failure =
        assertThrows(IOException.class, () -> SnapshotCodec.read(new ByteArrayInputStream(other)));
    assertTrue(failure.getMessage().contains("run the release that wrote it"), failure::getMessage);
  }
}
