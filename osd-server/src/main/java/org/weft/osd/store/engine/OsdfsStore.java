package org.weft.osd.store.engine;

import java.io.IOException;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.osd.store.BadBlock;
import org.weft.osd.store.Durability;
import org.weft.osd.store.Medium;
import org.weft.osd.store.MediumLook;
import org.weft.osd.store.MediumPlace;
import org.weft.osd.store.MutationOutcome;
import org.weft.osd.store.ObjectAttributes;
import org.weft.osd.store.ObjectListing;
import org.weft.osd.store.ObjectRead;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.OutOfSpaceException;
import org.weft.osd.store.PartitionState;
import org.weft.osd.store.PendingList;
import org.weft.osd.store.Receipt;
import org.weft.osd.store.ScrubNotes;
import org.weft.osd.store.Stamps;
import org.weft.osd.store.StoreHistory;
import org.weft.osd.store.StoreIdentity;
import org.weft.osd.store.StoreOptions;
import org.weft.osd.store.StoreStatus;
import org.weft.osd.store.StoredRange;
import org.weft.osd.store.engine.change.InlineCommitPolicy;
import org.weft.osd.store.engine.change.MutationPreparer;
import org.weft.osd.store.engine.change.Reaper;
import org.weft.osd.store.engine.commit.Checkpointer;
import org.weft.osd.store.engine.commit.CommitGroup;
import org.weft.osd.store.engine.commit.Committer;
import org.weft.osd.store.engine.commit.WatchedExecutor;
import org.weft.osd.store.engine.read.ObjectReader;
import org.weft.osd.store.engine.read.PendingReader;
import org.weft.osd.store.engine.read.StoredMedium;
import org.weft.osd.store.engine.state.StoreState;
import org.weft.osd.store.format.FreeMapCodec;
import org.weft.osd.store.format.HeaderCodec;
import org.weft.osd.store.format.KnownStarts;
import org.weft.osd.store.format.StoreHeader;
import org.weft.osd.store.format.StoreKeys;
import org.weft.osd.store.mutation.Mutation;
import org.weft.osd.store.value.Authority;
import org.weft.osd.store.value.Delta;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.seam.BootIdentity;
import org.weft.protocol.seam.KeyValueStore;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.SegmentDirectory;

/** OSDFS: the object store on a key-value store and segment files. */
public final class OsdfsStore implements ObjectStore {
  private static final Logger LOG = LoggerFactory.getLogger(OsdfsStore.class);

  private final StoreState store;
  private final boolean writeThrough;
  private final WatchedExecutor space;
  private final Scheduler.OwnedExecutor commits;
  private final InlineCommitPolicy brief;
  private final Committer committer;
  private final Checkpointer checkpointer;
  private final MutationPreparer intake;
  private final Reaper reaper;
  private final ObjectReader reader;
  private final PendingReader pending;
  private final Medium medium;
  private final StoreHistory history;
  private volatile StoreHeader header;

  /** Holds only while the header says that clients are refused; written before it. */
  private volatile Set<PartitionId> openInQuarantine = Set.of();

  private volatile boolean closed;

  /** Puts an opened store together; {@link StoreOpening} has read everything. */
  OsdfsStore(
      StoreState store,
      StoreOptions options,
      StoreHeader header,
      StoreHistory history,
      long durableCheckpoint,
      Scheduler scheduler,
      Scheduler.OwnedExecutor space) {
    this.store = store;
    this.writeThrough = options.durability() == Durability.WRITE_THROUGH;
    this.header = header;
    this.history = history;
    this.space = new WatchedExecutor(space);
    this.checkpointer =
        new Checkpointer(
            store,
            scheduler,
            new WatchedExecutor(
                scheduler.newSerialExecutor("osd-sync-" + header.identity().substring(0, 8))),
            options.checkpointMillis(),
            durableCheckpoint);
    this.intake = new MutationPreparer(store, checkpointer, this.space);
    this.reaper = new Reaper(this.space, scheduler, store.health());
    this.commits = scheduler.newSerialExecutor("osd-commit-" + header.identity().substring(0, 8));
    this.brief = new InlineCommitPolicy(store);
    this.committer = new Committer(store, checkpointer, intake::again, reaper::reap, commits);
    intake.commitTo(committer);
    reaper.commitTo(committer);
    this.reader = new ObjectReader(store, committer);
    this.pending = new PendingReader(store, committer);
    this.medium = new OpenMedium(new StoredMedium(store));
  }

  /**
   * Opens the store in these, or formats it if they are empty. They belong to the store from here
   * on, whatever comes of it. Reads all extents if the last stop was not orderly.
   *
   * @throws WeftException VERSION_MISMATCH (another format version), BAD_MEDIA (damaged) or
   *     NO_SPACE
   */
  public static OsdfsStore open(
      StoreOptions options,
      KeyValueStore values,
      SegmentDirectory segments,
      Scheduler scheduler,
      RandomGenerator random,
      BootIdentity bootIdentity)
      throws WeftException {
    return new StoreOpening(options, values, segments, scheduler, random, bootIdentity.bootId())
        .open();
  }

  /** Takes up what a removal before this start left to do. */
  void resumeReaping(List<Long> handles) {
    handles.forEach(reaper::reap);
  }

  @Override
  public StoreIdentity identity() {
    StoreHeader now = header;
    return new StoreIdentity(
        now.identity(),
        now.cluster(),
        now.osd(),
        now.incarnation(),
        now.bootId(),
        now.suspect(),
        history);
  }

  @Override
  public long lastChange() {
    return store.values().lastChange();
  }

  @Override
  public synchronized void join(ClusterId cluster, OsdId osd) throws WeftException {
    requireOpen();
    StoreHeader now = header;
    if (now.cluster().isPresent() && !now.cluster().get().equals(cluster)) {
      throw new WeftException(
          ErrorCode.WRONG_CLUSTER,
          "this store belongs to cluster "
              + now.cluster().get()
              + ", not to "
              + cluster
              + "; give the OSD an empty data directory, or the address of its own cluster");
    }
    if (now.osd().isPresent() && !now.osd().get().equals(osd)) {
      throw new WeftException(
          ErrorCode.WRONG_CLUSTER,
          "this store is OSD " + now.osd().get() + " of its cluster, not OSD " + osd);
    }
    boolean knownHere = now.cluster().isPresent() && now.osd().isPresent();
    if (knownHere && store.health().isFailed()) {
      // Nothing can be noted here any more, and nothing has to be.
      return;
    }
    keep(
        now.joined(cluster, osd),
        new KeyValueStore.Batch()
            .put(StoreKeys.starts(), KnownStarts.letIn(history.startId()).encode()));
  }

  private void keep(StoreHeader changed, KeyValueStore.Batch with) throws WeftException {
    try {
      with.urgent().put(StoreKeys.header(), HeaderCodec.encode(changed));
      store.values().write(with, true);
    } catch (IOException e) {
      store.health().fail("writing the store's header failed: " + e, e);
      throw store.health().refusal("the store's header could not be written: " + e, e);
    }
    header = changed;
  }

  @Override
  public boolean hasFailed() {
    return store.health().isFailed();
  }

  @Override
  public Optional<String> failure() {
    return store.health().failure();
  }

  @Override
  public boolean isSilent() {
    return store.health().isSilent();
  }

  @Override
  public boolean isQuarantined() {
    return header.quarantined();
  }

  @Override
  public boolean refusesClientsOf(PartitionId partition) {
    return header.quarantined() && !openInQuarantine.contains(partition);
  }

  @Override
  public synchronized void quarantine(boolean quarantined, Set<PartitionId> open)
      throws WeftException {
    requireOpen();
    boolean turns = header.quarantined() != quarantined;
    StoreHeader changed = header.withQuarantine(quarantined);
    if (quarantined) {
      // Also if it cannot be noted: a client that asks now is refused.
      openInQuarantine = Set.copyOf(open);
      header = changed;
    }
    // What has failed can note nothing, and comes back through quarantine in any case.
    if (turns && !store.health().isFailed()) {
      keep(changed, new KeyValueStore.Batch());
    }
  }

  @Override
  public StoreStatus status() {
    long block = HeaderCodec.BLOCK_BYTES;
    if (store.segments().mayGrowAgain()) {
      LOG.info("object store: the disk has space for segments again");
    }
    long capacity = store.space().capacityBlocks();
    long used = store.space().usedBlocks();
    return new StoreStatus(
        capacity * block,
        used * block,
        Math.max(0, store.space().freeBlocks()) * block,
        store.reserveBlocks() * block,
        store.space().missingBlocks() * block,
        store.objects().get(),
        checkpointer.pending(),
        checkpointer.durable(),
        store.health().problems());
  }

  @Override
  public Optional<PartitionState> partition(PartitionId id) {
    return Optional.ofNullable(store.partitions().get(id));
  }

  @Override
  public List<PartitionState> partitions() {
    return store.partitions().all();
  }

  @Override
  public CompletionStage<Receipt> apply(Mutation mutation) {
    return receipt(applyAll(List.of(mutation)));
  }

  @Override
  public Optional<CompletionStage<Receipt>> applyNow(Mutation mutation) {
    if (!brief.contains(mutation)) {
      return Optional.empty();
    }
    boolean durable = writeThrough || mutation.durable();
    return Optional.of(receipt(begin(new CommitGroup(List.of(mutation), durable, true))));
  }

  private static CompletionStage<Receipt> receipt(CompletionStage<List<MutationOutcome>> done) {
    return done.thenCompose(
        outcomes -> {
          MutationOutcome outcome = outcomes.get(0);
          return outcome.failure() == null
              ? CompletableFuture.completedStage(outcome.receipt())
              : CompletableFuture.failedStage(outcome.failure());
        });
  }

  @Override
  public CompletionStage<List<MutationOutcome>> applyAll(List<Mutation> mutations) {
    boolean durable = writeThrough;
    for (Mutation mutation : mutations) {
      durable |= mutation.durable();
    }
    return begin(new CommitGroup(List.copyOf(mutations), durable));
  }

  private CompletionStage<List<MutationOutcome>> begin(CommitGroup unit) {
    try {
      requireOpen();
      store.health().requireWritable();
      intake.start(unit);
    } catch (WeftException e) {
      unit.fail(e);
    }
    return unit.done();
  }

  @Override
  public StoredRange read(ObjectRead request) throws WeftException {
    return look(() -> reader.read(request));
  }

  @Override
  public Optional<StoredRange> readNow(ObjectRead request) throws WeftException {
    return look(() -> reader.readNow(request));
  }

  @Override
  public Stamps stamps(ObjectRead request) throws WeftException {
    return look(() -> reader.stamps(request));
  }

  @Override
  public PendingList listPending(ObjectName name, Authority authority) throws WeftException {
    return look(() -> pending.list(name, authority));
  }

  @Override
  public Delta readDelta(ObjectName name, Authority authority, long sequence) throws WeftException {
    return look(() -> pending.delta(name, authority, sequence));
  }

  @Override
  public ObjectAttributes attributes(ObjectName name, Authority authority, int... pages)
      throws WeftException {
    return look(() -> reader.attributes(name, authority, pages));
  }

  @Override
  public ObjectListing list(PartitionId partition, Authority authority, ObjectId after, int max)
      throws WeftException {
    return look(() -> reader.list(partition, authority, after, max));
  }

  @Override
  public CompletionStage<Long> checkpointNow() {
    try {
      requireOpen();
    } catch (WeftException e) {
      return CompletableFuture.failedStage(e);
    }
    return checkpointer.now();
  }

  @Override
  public Medium medium() {
    return medium;
  }

  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    reaper.stop();
    space.close();
    committer.end();
    commits.close();
    checkpointer.close();
    try {
      if (committer.isQuiet() && space.isQuiet() && checkpointer.isQuiet()) {
        leaveCleanMark();
      } else {
        LOG.warn(
            "object store: something that was begun has not ended yet, so that the next start"
                + " reads all extents");
      }
    } catch (IOException e) {
      LOG.error("object store: no clean mark could be left", e);
    }
    closeFiles();
  }

  private void leaveCleanMark() throws IOException {
    if (store.health().isFailed() || !checkpointer.coversAll()) {
      return;
    }
    KeyValueStore.Batch batch = new KeyValueStore.Batch().urgent();
    SortedMap<Integer, BitSet> used = store.space().usedBits();
    SortedMap<Integer, Integer> grown = store.segments().grownBlocks();
    long usedBlocks = used.values().stream().mapToLong(BitSet::cardinality).sum();
    // The free map does not count some blocks as free: those that a reader still holds, and those
    // that were given up. Nor those of a command that comes too late to commit.
    if (usedBlocks == store.storedBlocks().get()) {
      used.forEach(
          (segment, bits) ->
              batch.put(StoreKeys.freeMap(segment), FreeMapCodec.encode(bits, grown.get(segment))));
    }
    StoreHeader stopped = header.stopped(store.objects().get(), store.handles().get());
    batch.put(StoreKeys.header(), HeaderCodec.encode(stopped));
    store.values().write(batch, true);
  }

  private void closeFiles() {
    try {
      store.segments().close();
    } catch (IOException e) {
      LOG.error("object store: a segment file could not be closed", e);
    }
    try {
      store.values().close();
    } catch (IOException e) {
      LOG.error("object store: the tables could not be closed", e);
    }
  }

  private void requireOpen() throws WeftException {
    if (closed) {
      throw new WeftException(ErrorCode.UNAVAILABLE, "the object store is closed");
    }
  }

  /** The medium while the store is open: what is read beside its end is not judged. */
  private final class OpenMedium implements Medium {
    private final StoredMedium stored;

    OpenMedium(StoredMedium stored) {
      this.stored = stored;
    }

    @Override
    public synchronized MediumLook look(MediumPlace from, long aboutBytes) throws WeftException {
      MediumLook seen = OsdfsStore.this.look(() -> stored.look(from, aboutBytes));
      requireOpen();
      return seen;
    }

    @Override
    public synchronized boolean isBad(BadBlock block) throws WeftException {
      boolean bad = OsdfsStore.this.look(() -> stored.isBad(block));
      requireOpen();
      return bad;
    }

    @Override
    public Optional<ScrubNotes> notes() throws WeftException {
      return OsdfsStore.this.look(stored::notes);
    }

    @Override
    public void note(ScrubNotes notes) throws WeftException {
      requireOpen();
      try {
        stored.note(notes);
      } catch (IOException e) {
        throw new WeftException(
            OutOfSpaceException.caused(e) ? ErrorCode.NO_SPACE : ErrorCode.BAD_MEDIA,
            "how far the disk was checked could not be noted: " + e,
            e);
      }
    }
  }

  /** A look at the store. */
  @FunctionalInterface
  private interface Look<T> {
    T at() throws IOException;
  }

  private <T> T look(Look<T> look) throws WeftException {
    requireOpen();
    try {
      return look.at();
    } catch (WeftException e) {
      throw e;
    } catch (IOException e) {
      throw store.health().unreadTables(e);
    }
  }
}
