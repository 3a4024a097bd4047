package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.attributes.ParentHint;
import org.weft.metadata.directory.NamedEntry;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.QuotaEffect;
import org.weft.metadata.quota.QuotaFile;
import org.weft.metadata.quota.QuotaLimits;
import org.weft.metadata.quota.QuotaTree;
import org.weft.metadata.quota.QuotaUsage;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.grant.ExtendShare;
import org.weft.metadata.volume.operation.grant.FinishResolve;
import org.weft.metadata.volume.operation.quota.SetQuota;
import org.weft.metadata.volume.operation.session.EndLapsedSession;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.ExtendShareReply;
import org.weft.protocol.wire.Grant;
import org.weft.protocol.wire.OpenReply;

/**
 * Random operations on a volume with quotas, and restarts from prefixes of its journal. The usage
 * of every tree is the sum over what its names lead to and over what is open without a name. No
 * hard limit is exceeded, and every share has a writer.
 */
final class QuotaModelTest {
  private static final int STEPS = 600;
  private static final List<String> DIRECTORIES =
      List.of("/", "/a", "/a/x", "/a/x/y", "/b", "/b/x", "/c", "/c/x");
  private static final List<String> NAMES = List.of("f", "g", "h");

  /** A file that a client writes. */
  private record Open(TestClient client, TestClient.Held held, long limitBytes, long sizeBytes) {}

  private final List<Open> open = new ArrayList<>();
  private SplittableRandom random;
  private TestVolume volume;
  private TestClient client;
  private int refusals;

  /** How far files were ever written, by their objects. */
  private final TreeMap<ObjectId, Long> limits = new TreeMap<>();

  @ParameterizedTest
  @ValueSource(longs = {95_440_000, 95_440_001, 95_440_002, 95_440_003, 95_440_004, 95_440_005})
  void usageIsExactAfterEveryRecordAndNoLimitIsExceeded(long seed) throws Exception {
    random = new SplittableRandom(seed);
    volume = TestVolume.formatted(seed);
    client = volume.superuser();
    int checked = 0;
    for (int step = 0; step < STEPS; step++) {
      int before = volume.records().size();
      TreeMap<ObjectId, Long> limitsBefore = new TreeMap<>(limits);
      try {
        step();
      } catch (WeftException e) {
        requireExpected(e);
      }
      if (random.nextInt(3) == 0) {
        tick();
      }
      check(volume);
      if (random.nextInt(60) == 0) {
        limits.clear();
        limits.putAll(limitsBefore);
        restart(random.nextInt(before, volume.records().size() + 1));
      }
    }
    for (int records = 2; records <= volume.records().size(); records += 1 + records % 3) {
      keptLimits.clear();
      check(volume.restarted(records));
      checked++;
    }
    assertTrue(checked > 20, "only " + checked + " prefixes were checked");
    assertTrue(refusals > 5, "only " + refusals + " refusals by a quota");
  }

  /** Some of what was not acknowledged yet is gone, and so are all clients. */
  private void restart(int records) throws WeftException {
    volume = volume.restarted(records);
    keptLimits.clear();
    open.clear();
    check(volume);
    volume.pass(60_000);
    tick();
    resolve();
    check(volume);
    client = volume.superuser();
  }

  private void tick() {
    for (Operation due : volume.machine().due(volume.now())) {
      try {
        volume.execute(null, due);
      } catch (WeftException e) {
        // It is counted when it is known how long files are.
        assertEquals(ErrorCode.UNAVAILABLE, e.code(), e.getMessage());
      }
    }
  }

  private void requireExpected(WeftException refusal) {
    if (refusal.code() == ErrorCode.QUOTA_EXCEEDED) {
      refusals++;
      return;
    }
    List<ErrorCode> expected =
        List.of(
            ErrorCode.NOT_FOUND,
            ErrorCode.EXISTS,
            ErrorCode.NOT_EMPTY,
            ErrorCode.NOT_DIRECTORY,
            ErrorCode.IS_DIRECTORY,
            ErrorCode.INVALID_ARGUMENT,
            ErrorCode.BEING_WRITTEN,
            ErrorCode.GRANT_REVOKED,
            ErrorCode.SESSION_EXPIRED,
            ErrorCode.UNAVAILABLE,
            ErrorCode.BUSY);
    assertTrue(expected.contains(refusal.code()), () -> refusal.code() + ": " + refusal);
  }

  private void step() throws Exception {
    switch (random.nextInt(16)) {
      case 0, 1 -> client.mkdir(directory());
      case 2, 3, 4 -> create();
      case 5, 6 -> write();
      case 7 -> close();
      case 8 -> client.rename(anything(), anything());
      case 9 -> client.rename(file(), file());
      case 10 -> client.link(file(), file());
      case 11 -> client.unlink(file());
      case 12 -> client.rmdir(directory());
      case 13 -> update();
      case 14 -> quota();
      default -> {
        if (random.nextInt(4) == 0) {
          die();
        } else {
          cut();
        }
      }
    }
  }

  private String directory() {
    return DIRECTORIES.get(random.nextInt(DIRECTORIES.size()));
  }

  private String file() {
    String directory = directory();
    return (directory.equals("/") ? "" : directory) + "/" + NAMES.get(random.nextInt(3));
  }

  private String anything() {
    return random.nextBoolean() ? directory() : file();
  }

  private void create() throws WeftException {
    CreateReply made = client.create(file());
    keep(made.getAttributes().getObjectId(), made.getAttributes().getSize(), made.getGrant());
  }

  private void update() throws WeftException {
    OpenReply opened = client.update(file());
    keep(opened.getAttributes().getObjectId(), opened.getAttributes().getSize(), opened.getGrant());
  }

  private void keep(long objectId, long sizeBytes, Grant grant) {
    long limit = grant.hasLengthLimit() ? grant.getLengthLimit() : Long.MAX_VALUE;
    TestClient.Held held = new TestClient.Held(new ObjectId(objectId), new Lsn(grant.getNumber()));
    open.add(new Open(client, held, limit, sizeBytes));
  }

  private void write() throws Exception {
    if (open.isEmpty()) {
      return;
    }
    int index = random.nextInt(open.size());
    Open file = open.get(index);
    long length = file.sizeBytes() + random.nextLong(1, 40_000);
    if (length > file.limitBytes()) {
      ExtendShareReply reply =
          TestClient.parse(
              ExtendShareReply.parser(),
              file.client()
                  .execute(
                      new ExtendShare(
                          file.held().object(),
                          file.held().number(),
                          length,
                          random.nextBoolean())));
      long limit = reply.hasLengthLimit() ? reply.getLengthLimit() : Long.MAX_VALUE;
      file = new Open(file.client(), file.held(), limit, file.sizeBytes());
    }
    file = new Open(file.client(), file.held(), file.limitBytes(), length);
    open.set(index, file);
    limits.merge(file.held().object(), length, Math::max);
    if (random.nextBoolean()) {
      file.client().publish(file.held(), length);
    }
  }

  private void close() throws WeftException {
    if (!open.isEmpty()) {
      Open file = open.remove(random.nextInt(open.size()));
      file.client().close(file.held(), file.sizeBytes(), 1);
    }
  }

  private void cut() throws WeftException {
    if (open.isEmpty()) {
      return;
    }
    int index = random.nextInt(open.size());
    Open file = open.get(index);
    file.client().publish(file.held(), file.sizeBytes());
    long length = random.nextLong(2 * file.sizeBytes() + 1);
    int truncation = file.client().setLength(file.held(), length).getTruncationNumber();
    if (length < file.sizeBytes()) {
      file.client().trimmed(file.held(), truncation);
    }
    open.set(
        index, new Open(file.client(), file.held(), Math.max(file.limitBytes(), length), length));
  }

  /** The client dies with all that it writes; the manager puts it in order. */
  private void die() throws WeftException {
    volume.own(new EndLapsedSession(client.session()));
    resolve();
    open.clear();
    client = volume.superuser();
  }

  /** What writers left comes to an end, as long as they may have made it or shorter. */
  private void resolve() {
    for (WriteGrant grant : volume.machine().resolving()) {
      long stored =
          volume
              .cache()
              .attributes(grant.object(), List.of())
              .value()
              .map(Attributes::sizeBytes)
              .orElse(0L);
      long most = Math.max(stored, limits.getOrDefault(grant.object(), 0L));
      volume.own(new FinishResolve(grant.number(), random.nextLong(stored, most + 1)));
    }
  }

  private void quota() throws WeftException {
    if (!open.isEmpty()) {
      // Writers of before are not bounded; that is another test.
      close();
      return;
    }
    String directory = directory();
    long bytes = random.nextInt(3) == 0 ? 0 : random.nextLong(1, 80_000);
    long files = random.nextInt(3) == 0 ? 0 : random.nextLong(1, 12);
    client.execute(
        new SetQuota(
            TestClient.path(directory),
            directory.substring(1),
            new QuotaLimits(bytes, files, bytes / 2, files / 2)));
  }

  /** A node, as often as it has names. */
  private static final class Seen {
    private final Attributes attributes;
    private final List<ObjectId> innermost = new ArrayList<>();

    Seen(Attributes attributes) {
      this.attributes = attributes;
    }
  }

  /** Hard limits that were kept once are kept from then on. */
  private final TreeMap<String, Boolean> keptLimits = new TreeMap<>();

  private void check(TestVolume checked) {
    Map<ObjectId, QuotaTree> trees = new TreeMap<>();
    Map<ObjectId, QuotaUsage> usages = new TreeMap<>();
    Map<ObjectId, QuotaFile> files = new TreeMap<>();
    TreeSet<ObjectId> orphans = new TreeSet<>();
    TreeSet<ObjectId> written = new TreeSet<>();
    for (LiveEffect effect : checked.machine().snapshot()) {
      if (effect instanceof QuotaEffect.TreePut put) {
        trees.put(put.tree().directory(), put.tree());
      } else if (effect instanceof QuotaEffect.TreeUsed used) {
        usages.put(used.tree(), used.usage());
      } else if (effect instanceof QuotaEffect.FilePut put) {
        files.put(put.file().object(), put.file());
      } else if (effect instanceof LiveEffect.OrphanAdded orphan) {
        orphans.add(orphan.object());
      } else if (effect instanceof LiveEffect.GrantOpened grant) {
        written.add(grant.object());
      }
    }
    Map<ObjectId, Seen> seen = new TreeMap<>();
    walk(checked, ObjectId.ROOT, QuotaTree.NONE, trees, seen);
    for (ObjectId orphan : orphans) {
      seen.computeIfAbsent(orphan, id -> new Seen(stored(checked, id)));
    }
    Map<ObjectId, long[]> sums = new TreeMap<>();
    for (Seen node : seen.values()) {
      boolean isFile = node.attributes.kind() == NodeKind.FILE;
      for (ObjectId tree = node.attributes.quotaTree(); trees.containsKey(tree); ) {
        long[] sum = sums.computeIfAbsent(tree, id -> new long[2]);
        sum[0] += isFile ? node.attributes.sizeBytes() : 0;
        sum[1]++;
        tree = trees.get(tree).parent();
      }
      requireRightTree(node, trees);
    }
    for (QuotaTree tree : trees.values()) {
      long[] sum = sums.getOrDefault(tree.directory(), new long[2]);
      QuotaUsage usage = usages.get(tree.directory());
      assertEquals(sum[0], usage.bytes(), () -> "bytes of " + tree);
      assertEquals(sum[1], usage.files(), () -> "files of " + tree);
      requireWithin(tree, usage, files);
    }
    for (QuotaFile file : files.values()) {
      assertTrue(
          written.contains(file.object()) || orphans.contains(file.object()),
          () -> "no client writes " + file);
    }
  }

  private static void requireRightTree(Seen node, Map<ObjectId, QuotaTree> trees) {
    boolean single = node.attributes.isDirectory() || node.attributes.links() == 1;
    if (!single || node.innermost.size() != 1) {
      return;
    }
    ObjectId innermost = node.innermost.get(0);
    boolean allCounted = true;
    for (ObjectId tree = innermost; trees.containsKey(tree); tree = trees.get(tree).parent()) {
      allCounted &= trees.get(tree).counted();
    }
    // A file that lost its other names counts where it did until it is moved.
    boolean wasLinked = node.attributes.parent().equals(ParentHint.MANY);
    if (allCounted && !wasLinked) {
      assertEquals(innermost, node.attributes.quotaTree(), () -> "tree of " + node.attributes);
    }
  }

  private void requireWithin(QuotaTree tree, QuotaUsage usage, Map<ObjectId, QuotaFile> files) {
    long hard = tree.limits().hardBytes();
    String key = tree.directory() + " " + hard;
    if (!tree.counted() || hard == 0) {
      return;
    }
    if (usage.bytes() <= hard) {
      keptLimits.put(key, true);
    } else {
      assertTrue(!keptLimits.containsKey(key), () -> tree + " holds " + usage);
    }
  }

  private static Attributes stored(TestVolume checked, ObjectId object) {
    Optional<Attributes> found = checked.cache().attributes(object, List.of()).value();
    return found.orElseThrow(() -> new AssertionError("object " + object + " is lost"));
  }

  private static void walk(
      TestVolume checked,
      ObjectId directory,
      ObjectId around,
      Map<ObjectId, QuotaTree> trees,
      Map<ObjectId, Seen> seen) {
    Attributes attributes = stored(checked, directory);
    ObjectId innermost = trees.containsKey(directory) ? directory : around;
    Seen node = new Seen(attributes);
    node.innermost.add(innermost);
    seen.put(directory, node);
    for (NamedEntry named : checked.cache().readdir(directory, 0, 10_000).value().entries()) {
      ObjectId child = named.entry().object();
      if (stored(checked, child).isDirectory()) {
        walk(checked, child, innermost, trees, seen);
      } else {
        seen.computeIfAbsent(child, id -> new Seen(stored(checked, id))).innermost.add(innermost);
      }
    }
  }
}
