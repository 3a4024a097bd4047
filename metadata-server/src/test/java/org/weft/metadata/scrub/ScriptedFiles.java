package org.weft.metadata.scrub;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.weft.client.stripe.check.ParityReport;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.attributes.ParentHint;
import org.weft.metadata.attributes.Truncation;
import org.weft.metadata.check.CheckedVolume;
import org.weft.metadata.check.LiveNode;
import org.weft.metadata.check.NameState;
import org.weft.metadata.check.NodeState;
import org.weft.metadata.check.StoredObject;
import org.weft.metadata.journal.ScrubEffect;
import org.weft.metadata.journal.ScrubEffect.Contradicted;
import org.weft.metadata.journal.ScrubEffect.Reached;
import org.weft.metadata.objects.cache.NameTally;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.ComponentTag;

/** A volume whose files contradict themselves where a test says so, and its journal. */
final class ScriptedFiles implements CheckedVolume, ScrubJournal {
  static final int UNIT_BYTES = 64 << 10;
  static final int STRIPE_BYTES = 3 * UNIT_BYTES;
  static final int READ_OF_STRIPE_BYTES = 4 * UNIT_BYTES;

  private static final int GROUP_DEPTH = 2_000;
  private static final OsdId OSD = new OsdId(1);

  final TreeMap<ObjectId, Attributes> files = new TreeMap<>();
  final Map<ObjectId, TreeSet<Long>> wrong = new HashMap<>();

  /** Units with damaged blocks, in every piece of the file. */
  final Map<ObjectId, Integer> damaged = new HashMap<>();

  final TreeSet<ObjectId> written = new TreeSet<>();
  final TreeSet<ObjectId> rebuilt = new TreeSet<>();

  /** OSDs that do not serve. */
  final Set<OsdId> away = new HashSet<>();

  /** So many OSDs have the attributes of each file. */
  int holders = 3;

  /** OSDs that serve, and answer no question for a list. */
  final Set<OsdId> listless = new HashSet<>();

  /** OSDs whose copies are out of date, or are to be removed. */
  final Map<ObjectId, OsdId> lagging = new HashMap<>();

  /** Grants are opened on them between any two looks. */
  final TreeSet<ObjectId> restless = new TreeSet<>();

  final TreeSet<ObjectId> silent = new TreeSet<>();

  /** Files in the order in which stripes of them were read, each time. */
  final List<ObjectId> read = new ArrayList<>();

  /** What became durable, in order. */
  final List<ScrubEffect> recorded = new ArrayList<>();

  /** Nothing can be recorded. */
  boolean refuses;

  long bytesRead;
  int lists;
  private int openings;
  private long lsn = 1;
  private ScrubTable table = new ScrubTable();

  /** A file of so many stripes. */
  ObjectId file(long number, int stripes) {
    ObjectId object = new ObjectId(number);
    StorageMap map =
        StorageMap.of(
            new Layout(3, 1, UNIT_BYTES, GROUP_DEPTH, 1),
            List.of(new OsdId(1), new OsdId(2), new OsdId(3), new OsdId(4)));
    files.put(
        object,
        Attributes.create(object, NodeKind.FILE, map)
            .sizeBytes((long) stripes * STRIPE_BYTES)
            .parent(new ParentHint(ObjectId.ROOT, "file-" + number))
            .changeLsn(new Lsn(lsn++))
            .build());
    return object;
  }

  /** A client has written it, and closed it. */
  void changed(ObjectId object) {
    files.put(object, files.get(object).edit().changeLsn(new Lsn(lsn++)).build());
  }

  /** It has been cut, and not all of its components have heard of it. */
  void cut(ObjectId object) {
    Attributes file = files.get(object);
    files.put(
        object,
        file.edit()
            .truncation(new Truncation(1, OptionalLong.of(file.sizeBytes())))
            .changeLsn(new Lsn(lsn++))
            .build());
  }

  void contradict(ObjectId object, long stripe) {
    wrong.computeIfAbsent(object, key -> new TreeSet<>()).add(stripe);
  }

  /** Another manager has the journal, and nothing that was in memory. */
  void failover() {
    ScrubTable next = new ScrubTable();
    table.snapshot().forEach(effect -> next.apply((ScrubEffect) effect));
    table = next;
  }

  @Override
  public Reached reached() {
    return table.reached();
  }

  @Override
  public SortedMap<ObjectId, Contradicted> contradicted() {
    return table.contradicted();
  }

  @Override
  public CompletionStage<Void> record(List<ScrubEffect> effects) {
    if (refuses) {
      return CompletableFuture.failedStage(
          new WeftException(ErrorCode.UNAVAILABLE, "the disk of the journal is full"));
    }
    recorded.addAll(effects);
    effects.forEach(table::apply);
    return done(null);
  }

  private static <T> CompletionStage<T> done(T value) {
    return CompletableFuture.completedStage(value);
  }

  @Override
  public CompletionStage<ParityReport> parity(Attributes file, long fromStripe, long most) {
    if (silent.contains(file.object())) {
      return CompletableFuture.failedStage(
          new WeftException(ErrorCode.UNAVAILABLE, "OSD 2 does not answer"));
    }
    read.add(file.object());
    long all = (file.sizeBytes() + STRIPE_BYTES - 1) / STRIPE_BYTES;
    long stripes = Math.min(most, all - fromStripe);
    bytesRead += stripes * READ_OF_STRIPE_BYTES;
    List<Long> bad =
        List.copyOf(
            wrong
                .getOrDefault(file.object(), new TreeSet<>())
                .subSet(fromStripe, fromStripe + stripes));
    int rotten = damaged.getOrDefault(file.object(), 0);
    return done(
        new ParityReport(
            file.sizeBytes(),
            stripes,
            fromStripe + stripes == all,
            bad.size() + (long) rotten,
            rotten,
            bad));
  }

  @Override
  public LiveNode live(ObjectId object) {
    openings += restless.contains(object) ? 1 : 0;
    SortedSet<OsdId> beingMade = new TreeSet<>();
    if (rebuilt.contains(object)) {
      beingMade.add(new OsdId(9));
    }
    SortedSet<OsdId> behind = new TreeSet<>();
    Optional.ofNullable(lagging.get(object)).ifPresent(behind::add);
    return new LiveNode(false, false, written.contains(object), false, openings, behind, beingMade);
  }

  @Override
  public CompletionStage<Map<ObjectId, NodeState>> states(
      List<ObjectId> objects, Map<ObjectId, Attributes> assumed) {
    Map<ObjectId, NodeState> states = new HashMap<>();
    for (ObjectId object : objects) {
      states.put(
          object,
          new NodeState(
              object,
              Optional.ofNullable(files.get(object)),
              new TreeSet<>(),
              live(object),
              NodeState.Named.YES));
    }
    return done(states);
  }

  @Override
  public CompletionStage<Map<ObjectId, NodeState>> nodes(
      List<ObjectId> objects, Map<ObjectId, Attributes> assumed) {
    return states(objects, assumed);
  }

  @Override
  public boolean isServed() {
    return true;
  }

  @Override
  public SortedSet<OsdId> serving() {
    SortedSet<OsdId> serving = new TreeSet<>(List.of(OSD));
    files.values().forEach(file -> serving.addAll(file.map().components()));
    serving.removeAll(away);
    return serving;
  }

  @Override
  public SortedSet<OsdId> all() {
    SortedSet<OsdId> all = serving();
    all.addAll(away);
    return all;
  }

  @Override
  public int leastHolders() {
    return holders;
  }

  @Override
  public CompletionStage<Listed> list(OsdId osd, ObjectId after, int max) {
    if (listless.contains(osd)) {
      return CompletableFuture.failedStage(
          new WeftException(ErrorCode.DEADLINE_EXCEEDED, "OSD " + osd + " does not answer"));
    }
    if (!osd.equals(OSD)) {
      return done(new Listed(List.of(), false));
    }
    lists++;
    List<ObjectId> behind = files.tailMap(after, false).keySet().stream().limit(max).toList();
    return done(new Listed(behind, !behind.isEmpty() && behind.size() == max));
  }

  @Override
  public CompletionStage<Map<ObjectId, Optional<StoredObject>>> stored(
      OsdId osd, List<ObjectId> objects) {
    Map<ObjectId, Optional<StoredObject>> all = new HashMap<>();
    for (ObjectId object : objects) {
      all.put(object, Optional.ofNullable(files.get(object)).map(ScriptedFiles::stored));
    }
    return done(all);
  }

  private static StoredObject stored(Attributes file) {
    return new StoredObject(
        ComponentTag.getDefaultInstance(),
        file.sizeBytes(),
        0,
        0,
        Optional.empty(),
        Optional.of(new StoredObject.Page(file.changeLsn(), ByteString.EMPTY, file)),
        Optional.empty());
  }

  @Override
  public CompletionStage<Void> flushed() {
    return done(null);
  }

  @Override
  public CompletionStage<String> path(ObjectId object) {
    return done("/" + files.get(object).parent().name());
  }

  @Override
  public void watch(ObjectId object) {
    // Grants are counted all the time.
  }

  @Override
  public void unwatch(ObjectId object) {
    // Grants are counted all the time.
  }

  @Override
  public Map<ObjectId, TreeUsage> trees() {
    throw notOfScrubs();
  }

  @Override
  public Lsn lastLsn() {
    return new Lsn(lsn);
  }

  @Override
  public long expectedObjects() {
    return files.size();
  }

  @Override
  public SortedMap<OsdId, Integer> attributeCopies(StorageMap map) {
    throw notOfScrubs();
  }

  @Override
  public SortedMap<OsdId, Integer> directoryCopies(StorageMap map) {
    throw notOfScrubs();
  }

  @Override
  public CompletionStage<SortedMap<Integer, byte[]>> blocks(
      OsdId osd, ObjectId directory, List<Integer> numbers) {
    throw notOfScrubs();
  }

  @Override
  public CompletionStage<NodeState> node(ObjectId object) {
    throw notOfScrubs();
  }

  @Override
  public CompletionStage<NameState> name(ObjectId directory, String name) {
    throw notOfScrubs();
  }

  @Override
  public CompletionStage<Entries> entries(NameTally tally, int max) {
    throw notOfScrubs();
  }

  @Override
  public void watch(NameTally tally) {
    throw notOfScrubs();
  }

  @Override
  public void unwatch(NameTally tally) {
    throw notOfScrubs();
  }

  private static AssertionError notOfScrubs() {
    return new AssertionError("a scrub of parity does not ask for that");
  }
}
