package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.InvalidProtocolBufferException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.weft.metadata.grant.CapabilityMint;
import org.weft.metadata.grant.WorkingKeys;
import org.weft.metadata.journal.Effect;
import org.weft.metadata.journal.JournalContents;
import org.weft.metadata.journal.JournalRecord;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.LockKeeping;
import org.weft.metadata.journal.ObjectEffect;
import org.weft.metadata.objects.Loadable;
import org.weft.metadata.objects.Loaded;
import org.weft.metadata.objects.Missing;
import org.weft.metadata.objects.cache.CacheLimits;
import org.weft.metadata.objects.cache.MetadataCache;
import org.weft.metadata.objects.cache.TailReplay;
import org.weft.metadata.placement.OsdCandidate;
import org.weft.metadata.placement.OsdPool;
import org.weft.metadata.volume.execution.ClusterKnown;
import org.weft.metadata.volume.execution.Now;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.execution.Outcome;
import org.weft.metadata.volume.execution.VolumeContext;
import org.weft.metadata.volume.operation.session.OpenSession;
import org.weft.metadata.volume.operation.volume.FormatVolume;
import org.weft.metadata.volume.state.VolumeSettings;
import org.weft.protocol.capability.FileHandle;
import org.weft.protocol.capability.HandleKey;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.wire.OpenSessionReply;

/**
 * A volume's machine with a journal in a list and no OSD at all. It never flushes, so what the
 * cache does not have does not exist.
 */
final class TestVolume {
  static final PartitionId VOLUME = new PartitionId(1);
  static final String SUPERUSER = "weft";
  static final byte[] KEY = new byte[32];

  private final SplittableRandom random;
  private final List<JournalRecord> records = new ArrayList<>();
  private final MetadataCache cache;
  private final VolumeContext context;
  private final VolumeMachine machine;
  private final long epoch;
  private long nowMillis = 1_750_000_000_000L;
  private long nowNanos = 1;
  private long nextNonce;
  private int loads;
  private SortedSet<OsdId> silent = new TreeSet<>();

  private TestVolume(long seed, int osds, long epoch, String path, CacheLimits limits) {
    this.random = new SplittableRandom(seed);
    this.epoch = epoch;
    // Sessions of earlier epochs must not be found again.
    this.nextNonce = epoch << 32;
    VolumeSettings settings = new VolumeSettings(VOLUME, 2, 0, 1, "default", SUPERUSER, path);
    this.cache = new MetadataCache(settings.metaCopies(), limits);
    this.context =
        new VolumeContext(settings, new CapabilityMint(VOLUME, new WorkingKeys(1, KEY)), random);
    osds(osds);
    this.machine = new VolumeMachine(context, cache);
  }

  /** A volume that was just formatted. */
  static TestVolume formatted(long seed) {
    return formatted(seed, CacheLimits.DEFAULT);
  }

  static TestVolume formatted(long seed, CacheLimits limits) {
    return formatted(new TestVolume(seed, 6, 1, "/", limits));
  }

  /** A volume that was just formatted, elsewhere in the cluster than at its root. */
  static TestVolume formattedAt(String path, long seed) {
    return formatted(new TestVolume(seed, 6, 1, path, CacheLimits.DEFAULT));
  }

  private static TestVolume formatted(TestVolume volume) {
    volume.recover(new JournalContents(List.of(), List.of(), Lsn.ZERO));
    volume.own(new FormatVolume());
    return volume;
  }

  /** What a manager makes of a journal with this in it. */
  static TestVolume recovered(long epoch, List<LiveEffect> liveState, List<JournalRecord> records) {
    TestVolume volume = new TestVolume(99, 6, epoch, "/", CacheLimits.DEFAULT);
    volume.records.addAll(records);
    Lsn last = records.isEmpty() ? Lsn.ZERO : records.get(records.size() - 1).lsn();
    volume.recover(new JournalContents(liveState, records, last));
    return volume;
  }

  /** The same volume after a crash that left the first records in the journal. */
  TestVolume restarted(int recordCount) {
    TestVolume volume = recovered(epoch + 1, List.of(), records.subList(0, recordCount));
    return volume;
  }

  TestVolume restarted() {
    return restarted(records.size());
  }

  private void recover(JournalContents contents) {
    machine.recover(contents, epoch, now());
    TailReplay replay = new TailReplay(cache, contents);
    for (Loadable<Boolean> step = replay.run(); ; step = replay.run()) {
      if (step.isReady()) {
        assertTrue(step.value(), "the cache has room for the whole tail");
        return;
      }
      load(step.missing());
    }
  }

  /** From now on so many OSDs are up, each on its host. */
  void osds(int count) {
    osds(count, List.of());
  }

  /** From now on there are so many OSDs, and some of them are not up. */
  void osds(int count, List<OsdId> away) {
    List<OsdCandidate> up =
        IntStream.rangeClosed(1, count)
            .mapToObj(OsdId::new)
            .map(id -> new OsdCandidate(id, "host-" + id, !away.contains(id), 1L << 40))
            .toList();
    context.clusterChanged(new ClusterKnown(5, new OsdPool(up), 600, 60, 6));
  }

  /** From now on there are so many OSDs but for one, which was removed. */
  void osdsWithout(int count, int removed) {
    osds(count);
    List<OsdCandidate> left =
        context.cluster().pool().osds().stream()
            .filter(each -> each.osd().value() != removed)
            .toList();
    SortedMap<OsdId, Long> gone = new TreeMap<>(Map.of(new OsdId(removed), 0L));
    context.clusterChanged(
        new ClusterKnown(7, new OsdPool(left), 600, 60, 6, new TreeMap<>(), gone, new TreeSet<>()));
  }

  /** From now on there are so many OSDs, all up, and one of them is being drained. */
  void draining(int count, OsdId drained) {
    draining(count, drained, 1);
  }

  /** The same, with the number of the drain. */
  void draining(int count, OsdId drained, long drain) {
    draining(count, drained, drain, List.of());
  }

  /** Two of so many OSDs are drained. */
  void draining(int count, OsdId drained, OsdId too) {
    draining(count, Map.of(drained, 1L, too, 2L), List.of(), List.of());
  }

  /** The same while some OSDs are down. */
  void draining(int count, OsdId drained, long drain, List<OsdId> away) {
    draining(count, Map.of(drained, drain), away, List.of());
  }

  /** The same while some OSDs are full. */
  void drainingBesideFull(int count, OsdId drained, List<OsdId> full) {
    draining(count, Map.of(drained, 1L), List.of(), full);
  }

  private void draining(int count, Map<OsdId, Long> drains, List<OsdId> away, List<OsdId> full) {
    List<OsdCandidate> all =
        IntStream.rangeClosed(1, count)
            .mapToObj(OsdId::new)
            .map(
                id ->
                    new OsdCandidate(
                        id,
                        "host-" + id,
                        !away.contains(id),
                        away.contains(id),
                        full.contains(id) ? 0 : 1L << 40,
                        0,
                        drains.getOrDefault(id, OsdCandidate.NO_DRAIN)))
            .toList();
    context.clusterChanged(new ClusterKnown(8, new OsdPool(all), 600, 60, 6));
  }

  /** From now on these of so many OSDs are in quarantine, for they lost power. */
  void lossy(int count, long quarantine, List<OsdId> lossy) {
    osds(count, lossy);
    ClusterKnown known = context.cluster();
    SortedMap<OsdId, ClusterKnown.Lossy> losses = new TreeMap<>();
    lossy.forEach(osd -> losses.put(osd, new ClusterKnown.Lossy(quarantine, true)));
    context.clusterChanged(
        new ClusterKnown(6, known.pool(), 600, 60, 6, losses, new TreeMap<>(), new TreeSet<>()));
  }

  TestClient client(String user, String... groups) throws WeftException {
    return open(new OpenSession(user, List.of(groups), "host/1/" + user, nextNonce++, 8));
  }

  /** One of an earlier release, which does not know that others cut its files. */
  TestClient earlierClient(String user) throws WeftException {
    return open(new OpenSession(user, List.of(), "host/2/" + user, nextNonce++, 8).withoutCuts());
  }

  /** One whose byte-range locks may be kept. */
  TestClient client(String user, Optional<LockKeeping> keeping) throws WeftException {
    return open(
        new OpenSession(
            user, List.of(), "host/1/" + user, nextNonce++, 8, "", keeping, false, false, true));
  }

  /** One whose client has shown that it has the join token. */
  TestClient trustedClient(String user) throws WeftException {
    return open(new OpenSession(user, List.of(user), "host/1/" + user, nextNonce++, 8).proven());
  }

  /** A trusted one that may be granted the reading of files. */
  TestClient trustedCachingClient(String user) throws WeftException {
    return open(
        new OpenSession(user, List.of(user), "host/1/" + user, nextNonce++, 8).proven().caching());
  }

  /** A trusted one whose byte-range locks are kept. */
  TestClient trustedClient(String user, LockKeeping keeping) throws WeftException {
    return open(
        new OpenSession(
            user,
            List.of(user),
            "host/1/" + user,
            nextNonce++,
            8,
            "",
            Optional.of(keeping),
            false,
            true,
            true));
  }

  /** One that may be granted the reading of objects. */
  TestClient cachingClient(String user) throws WeftException {
    return open(new OpenSession(user, List.of(), "host/1/" + user, nextNonce++, 8).caching());
  }

  /** What comes of an operation once; what it decides is journalled. */
  Outcome attempt(Caller caller, Operation operation) {
    Outcome outcome =
        caller == null
            ? machine.execute(operation, now())
            : machine.execute(caller, operation, now());
    if (outcome instanceof Outcome.Done done) {
      done.record().ifPresent(this::journalled);
    }
    return outcome;
  }

  private TestClient open(OpenSession opening) throws WeftException {
    Outcome.Done opened = execute(null, opening);
    try {
      return new TestClient(
          this, OpenSessionReply.parseFrom(opened.reply().toByteString()).getSessionId());
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }

  /** Sentences on what clients reported of OSDs. */
  List<String> reportedFailures() {
    return machine.reportedFailures(now());
  }

  TestClient superuser() throws WeftException {
    return client(SUPERUSER, SUPERUSER);
  }

  /** An operation of the manager itself. */
  Outcome.Done own(Operation operation) {
    try {
      return execute(null, operation);
    } catch (WeftException e) {
      throw new AssertionError(operation + " was refused", e);
    }
  }

  Outcome.Done execute(Caller caller, Operation operation) throws WeftException {
    for (int tries = 0; tries < 100; tries++) {
      Outcome outcome =
          caller == null
              ? machine.execute(operation, now())
              : machine.execute(caller, operation, now());
      if (outcome instanceof Outcome.Need need) {
        load(need.missing());
      } else if (outcome instanceof Outcome.Refused refused) {
        throw refused.why();
      } else {
        Outcome.Done done = assertInstanceOf(Outcome.Done.class, outcome);
        done.record().ifPresent(this::journalled);
        return done;
      }
    }
    throw new AssertionError("loading does not help " + operation);
  }

  private void journalled(JournalRecord record) {
    Lsn expected =
        records.isEmpty() || records.get(records.size() - 1).lsn().epoch() < epoch
            ? Lsn.of(epoch, 1)
            : records.get(records.size() - 1).lsn().next();
    assertEquals(expected, record.lsn());
    records.add(record);
  }

  /** How often something was loaded. */
  int loads() {
    return loads;
  }

  private void load(List<Missing> missing) {
    loads++;
    List<Loaded> found = new ArrayList<>();
    for (Missing one : missing) {
      assertInstanceOf(Missing.MissingAttributes.class, one, "no block is on any OSD");
      found.add(new Loaded.LostAttributes(one.object(), silent, "no OSD has it"));
    }
    cache.loaded(found);
  }

  /** From now on these do not say whether they have what is looked for. */
  void silent(List<OsdId> osds) {
    silent = new TreeSet<>(osds);
  }

  /** Lets time pass. */
  void pass(long millis) {
    nowMillis += millis;
    nowNanos += TimeUnit.MILLISECONDS.toNanos(millis);
  }

  /** Does what falls due, such as ending sessions whose lease is over. */
  void tick() {
    machine.due(now()).forEach(this::own);
  }

  /** The handle of an object, as this volume gives it. */
  FileHandle handle(long objectId) {
    for (LiveEffect effect : machine.snapshot()) {
      if (effect instanceof LiveEffect.VolumeCreated created) {
        HandleKey key = created.handleKey().orElseThrow();
        return key.handle(VOLUME, new ObjectId(objectId));
      }
    }
    throw new AssertionError("the volume is not formatted");
  }

  Now now() {
    return new Now(nowMillis, nowNanos);
  }

  VolumeContext context() {
    return context;
  }

  long epochs() {
    return epoch;
  }

  VolumeMachine machine() {
    return machine;
  }

  MetadataCache cache() {
    return cache;
  }

  List<JournalRecord> records() {
    return records;
  }

  /** The records as a journal gives them back when OSDs hold all that they are to be told. */
  List<JournalRecord> recordsWithoutRedo() {
    return records.stream()
        .map(
            record ->
                new JournalRecord(
                    record.lsn(),
                    record.effects().stream().filter(LiveEffect.class::isInstance).toList()))
        .toList();
  }

  /** The records as a journal gives them back that has a snapshot made after the first of them. */
  List<JournalRecord> recordsBehindSnapshot(int covered) {
    List<JournalRecord> seen = new ArrayList<>();
    for (int index = 0; index < records.size(); index++) {
      JournalRecord record = records.get(index);
      List<Effect> effects =
          index >= covered
              ? record.effects()
              : record.effects().stream().filter(ObjectEffect.class::isInstance).toList();
      seen.add(new JournalRecord(record.lsn(), effects));
    }
    return seen;
  }
}
