package org.weft.metadata.journal;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.metadata.acl.Acl;
import org.weft.metadata.acl.Acls;
import org.weft.metadata.acl.BoundedEntries;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.attributes.ParentHint;
import org.weft.metadata.attributes.Times;
import org.weft.metadata.attributes.Truncation;
import org.weft.metadata.directory.DirectoryEntry;
import org.weft.metadata.directory.HashKey;
import org.weft.metadata.quota.QuotaFile;
import org.weft.metadata.quota.QuotaLimits;
import org.weft.metadata.quota.QuotaTree;
import org.weft.metadata.quota.QuotaUsage;
import org.weft.protocol.capability.HandleKey;
import org.weft.protocol.capability.SessionSecret;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.ByteRanges;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.LockSpace;
import org.weft.protocol.layout.OwnedStripes;
import org.weft.protocol.layout.RangeUse;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.LayoutMessage;

/** Effects and records to journal. */
final class Samples {
  static final JournalIdentity IDENTITY =
      new JournalIdentity(new PartitionId(7), new ClusterId("00112233445566778899aabbccddeeff"));

  private Samples() {}

  static StorageMap map() {
    return StorageMap.of(Layout.of(1, 2), List.of(new OsdId(3), new OsdId(1), new OsdId(4)));
  }

  static Attributes attributes(long object) {
    return Attributes.create(new ObjectId(object), NodeKind.FILE, map())
        .mode(0644)
        .owner("ada")
        .group("makers")
        .sizeBytes(1L << 40)
        .times(new Times(1, 2, 3))
        .links(2)
        .parent(new ParentHint(ObjectId.ROOT, "päper"))
        .truncation(new Truncation(5, OptionalLong.of(0)))
        .changeLsn(Lsn.of(3, 4))
        .symlinkTarget(ByteString.copyFromUtf8("../x"))
        .entries(9)
        .createGrant(Lsn.of(2, 1))
        .build();
  }

  /** With all that few nodes have. */
  private static Attributes richAttributes() {
    SortedMap<String, ByteString> xattrs = new TreeMap<>();
    xattrs.put("user.a", ByteString.EMPTY);
    xattrs.put("trusted.b", ByteString.copyFrom(new byte[] {0, -1, 7}));
    LayoutMessage layout = LayoutMessage.newBuilder().setDataUnits(4).setGroups(2).build();
    return attributes(13)
        .edit()
        .parent(ParentHint.MANY)
        .xattrs(xattrs)
        .defaultLayout(Optional.of(layout))
        .acls(acls())
        .build();
  }

  private static Acls acls() {
    SortedMap<String, Integer> users = new TreeMap<>(Map.of("bob", 5, "Grüße", 0));
    BoundedEntries bounded = new BoundedEntries(4, users, new TreeMap<>(Map.of("team", 7)));
    return new Acls(Optional.of(bounded), Optional.of(new Acl(7, bounded, OptionalInt.of(6), 0)));
  }

  /** One of each kind. */
  static List<Effect> everyEffect() {
    ObjectId object = new ObjectId(1L << 40);
    SessionId session = new SessionId(-1L);
    List<OsdId> holders = List.of(new OsdId(9), new OsdId(2));
    return List.of(
        new ObjectEffect.CreateDirectory(object, new HashKey(-5, 6)),
        new ObjectEffect.PutEntry(
            object, "n", new DirectoryEntry(object, NodeKind.VOLUME, Lsn.of(1, 2), holders)),
        new ObjectEffect.RemoveEntry(object, "ø".repeat(127)),
        new ObjectEffect.PutAttributes(attributes(12)),
        new ObjectEffect.PutAttributes(richAttributes()),
        new ObjectEffect.RemoveObject(object, holders),
        new LiveEffect.VolumeCreated(new PartitionId(1), 3, 77, Optional.empty()),
        new LiveEffect.VolumeCreated(
            new PartitionId(1), 3, 77, Optional.of(HandleKey.of(9, new byte[HandleKey.BYTES]))),
        new LiveEffect.SessionOpened(
            session, "u", List.of("g", "h"), "host/1/x", -9, 4, 5, Optional.empty()),
        new LiveEffect.SessionOpened(
            session,
            "u",
            List.of("g", "h"),
            "host/1/x",
            -9,
            4,
            5,
            Optional.of(
                SessionSecret.of(
                    new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}))),
        new LiveEffect.SessionClosed(session),
        new LiveEffect.GrantOpened(Lsn.of(4, 4), Lsn.of(4, 2), object, session, map(), 8, "c"),
        new LiveEffect.GrantOpened(
            Lsn.of(4, 5), Lsn.of(4, 5), object, session, map(), 8, "c", true),
        new LiveEffect.GrantRanges(
            Lsn.of(4, 5),
            object,
            OwnedStripes.NONE
                .plus(new ByteRange(0, 8), RangeUse.WRITING)
                .plus(new ByteRange(16, ByteRange.END), RangeUse.WRITING)),
        new LiveEffect.GrantRanges(
            Lsn.of(4, 5),
            object,
            OwnedStripes.NONE
                .plus(ByteRange.ALL, RangeUse.READING)
                .plus(new ByteRange(8, 16), RangeUse.WRITING)),
        new LiveEffect.GrantSuperseded(Lsn.of(4, 5), object),
        new LiveEffect.GrantClosed(Lsn.of(4, 4), object, 88),
        new LiveEffect.GrantResolving(Lsn.of(4, 5), object),
        new LiveEffect.GrantResolving(Lsn.of(4, 5), object, true),
        new LiveEffect.GrantMoved(Lsn.of(4, 5), object, map()),
        new LiveEffect.Reply(session, 3, 4, ByteString.copyFromUtf8("answer")),
        new LiveEffect.Counter(LiveEffect.CounterKind.OBJECT, 65_537),
        new LiveEffect.Counter(LiveEffect.CounterKind.SESSION, 2),
        new LiveEffect.OrphanAdded(object, holders),
        new LiveEffect.OrphanRemoved(object),
        new LiveEffect.GrantUnsettled(Lsn.of(4, 6), object, map()),
        new LiveEffect.GrantSuspects(
            Lsn.of(4, 6),
            object,
            SuspectOsds.NONE.plus(new OsdId(9), 3).compared().plus(new OsdId(2), Long.MAX_VALUE)),
        new LiveEffect.SessionOpened(
            session,
            "u",
            List.of(),
            "gateway",
            -9,
            4,
            5,
            Optional.empty(),
            Optional.of(new LockKeeping(45_000, ByteString.copyFromUtf8("0123456789abcdef"))),
            true,
            false,
            true),
        new LiveEffect.Reply(
            session,
            5,
            6,
            ByteString.copyFromUtf8("answer"),
            Optional.of(
                new RepeatKey(
                    ByteString.copyFrom(new byte[] {10, 0, 0, 7}),
                    -3,
                    77,
                    ByteString.copyFromUtf8("0123456789abcdef")))),
        new LockEffect.LocksHeld(
            object,
            session,
            LockSpace.BYTES,
            ByteString.copyFromUtf8("owner"),
            ByteRanges.NONE.plus(new ByteRange(0, 8)).plus(new ByteRange(16, ByteRange.END)),
            ByteRanges.NONE.plus(new ByteRange(9, 12))),
        new LockEffect.LocksHeld(
            object,
            session,
            LockSpace.OPENINGS,
            ByteString.copyFromUtf8("owner"),
            ByteRanges.NONE,
            ByteRanges.NONE),
        new LockEffect.LocksKept(
            session,
            "u",
            new LockKeeping(45_000, ByteString.copyFromUtf8("0123456789abcdef")),
            "gateway"),
        new QuotaEffect.TreePut(
            new QuotaTree(
                new ObjectId(70_002),
                ObjectId.ROOT,
                "a/b",
                new QuotaLimits(1L << 40, 100, 1L << 39, 50),
                true)),
        new QuotaEffect.TreeUsed(new ObjectId(70_002), new QuotaUsage(1_000, 3, 17, 0)),
        new QuotaEffect.TreeGone(new ObjectId(70_003)),
        new QuotaEffect.FilePut(new QuotaFile(new ObjectId(70_004), ObjectId.ROOT, 7, 0)),
        new QuotaEffect.FilePut(QuotaFile.forgotten(new ObjectId(70_004))),
        new LockEffect.LocksDropped(session),
        new LockEffect.FileUnlocked(object),
        new LiveEffect.LengthLive(new ObjectId(77), true),
        new LiveEffect.LengthLive(new ObjectId(78), false),
        new LiveEffect.GrantSettled(Lsn.of(4, 7)),
        new LiveEffect.GrantsRevoked(List.of(Lsn.of(4, 7), Lsn.of(4, 9)), "replaced"),
        new LiveEffect.RebuildBegun(
            new ObjectId(70_000), 3, new OsdId(9), Lsn.of(4, 11), 6, false, 0),
        new LiveEffect.RebuildBegun(
            new ObjectId(70_001), 2, new OsdId(8), Lsn.of(4, 12), 5, true, 300_000),
        new LiveEffect.RebuildBegun(
            new ObjectId(70_003), 1, new OsdId(7), Lsn.of(4, 13), 2, false, 0, true, false),
        new LiveEffect.RebuildBegun(
            new ObjectId(70_004), 1, new OsdId(7), Lsn.of(4, 14), 2, true, 9, false, true),
        new LiveEffect.OsdStanding(new OsdId(7), true, 12),
        new LiveEffect.OsdStanding(new OsdId(6), false, 0),
        new LiveEffect.ComponentLeft(new ObjectId(70_002), new OsdId(5)),
        new LiveEffect.RebuildEnded(new ObjectId(70_000)),
        new LiveEffect.FileDamaged(object, "röt"),
        new LiveEffect.FileDamaged(
            object,
            "gone",
            new ByteRanges(List.of(new ByteRange(0, 4096), new ByteRange(8192, 12288)))),
        new LiveEffect.RepairAdded(object, new OsdId(6), 3),
        new LiveEffect.RepairRemoved(object, new OsdId(7), 0),
        new LiveEffect.LaggingAdded(
            new OsdId(6), object, LiveEffect.LaggingKind.REMOVE, Lsn.of(1, 1)),
        new LiveEffect.LaggingAdded(new OsdId(6), object, LiveEffect.LaggingKind.REFRESH, Lsn.ZERO),
        new LiveEffect.LaggingAdded(
            new OsdId(8), object, LiveEffect.LaggingKind.REMOVE, Lsn.of(1, 4), true),
        new LiveEffect.LaggingCleared(new OsdId(6), object),
        ScrubEffect.Reached.NOTHING,
        new ScrubEffect.Reached(
            3,
            new ScrubEffect.Pass(5, 6, 7, 8, 9, 10, true),
            new ScrubEffect.Pass(11, 0, 12, 13, 14, 15, false),
            object,
            16,
            List.of(new ObjectId(17), new ObjectId(18))),
        new ScrubEffect.Reached(
            3,
            ScrubEffect.Pass.NONE,
            new ScrubEffect.Pass(11, 0, 12, 13, 14, 15, false),
            object,
            16,
            List.of(new ObjectId(17), new ObjectId(18)),
            Map.of(new ObjectId(18), 99L),
            4,
            5),
        new ScrubEffect.Contradicted(
            object, 77, 2, new ByteRanges(List.of(new ByteRange(0, 4096))), "they differ"),
        ScrubEffect.Contradicted.over(object));
  }

  /** A record of some object effects and a counter whose value is the LSN's index. */
  static JournalRecord record(Lsn lsn, Random random) {
    List<Effect> effects = new ArrayList<>();
    int puts = random.nextInt(3);
    for (int index = 0; index < puts; index++) {
      effects.add(new ObjectEffect.PutAttributes(attributes(random.nextInt(1000))));
    }
    byte[] reply = new byte[random.nextInt(600)];
    random.nextBytes(reply);
    effects.add(
        new LiveEffect.Reply(
            new SessionId(random.nextInt(5)), 0, lsn.index(), ByteString.copyFrom(reply)));
    effects.add(new LiveEffect.Counter(LiveEffect.CounterKind.OBJECT, lsn.value()));
    return new JournalRecord(lsn, effects);
  }
}
