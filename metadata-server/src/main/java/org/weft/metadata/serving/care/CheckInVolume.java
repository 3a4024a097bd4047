package org.weft.metadata.serving.care;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.check.ParityReport;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.check.CheckedVolume;
import org.weft.metadata.check.LiveNode;
import org.weft.metadata.check.NameState;
import org.weft.metadata.check.NodeState;
import org.weft.metadata.check.OsdHoldings;
import org.weft.metadata.check.StoredObject;
import org.weft.metadata.objects.ObjectLoader;
import org.weft.metadata.objects.cache.NameTally;
import org.weft.metadata.serving.request.LoadCoalescer;
import org.weft.metadata.volume.state.LiveNodes;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;

/** A served volume as its check sees it. On the volume's thread. */
public final class CheckInVolume implements CheckedVolume {
  private final CaredVolume parts;
  private final Executor home;
  private final boolean served;
  private final LiveNodes live;
  private final NodeLooks looks;
  private final OsdHoldings holdings;

  /**
   * @param parts OSDs are called so that calls complete on the volume's thread
   * @param home that thread
   */
  CheckInVolume(CaredVolume parts, ObjectLoader loader, Executor home) {
    this(parts, loader, new AskedHoldings(parts.osds(), parts.capability()), home, true);
  }

  /** One that no manager serves, where something else tells what OSDs hold. */
  public CheckInVolume(
      CaredVolume parts, ObjectLoader loader, OsdHoldings holdings, Executor home) {
    this(parts, loader, holdings, home, false);
  }

  private CheckInVolume(
      CaredVolume parts, ObjectLoader loader, OsdHoldings holdings, Executor home, boolean served) {
    this.served = served;
    this.holdings = holdings;
    this.parts = parts;
    this.home = home;
    this.live = parts.machine().liveNodes();
    this.looks =
        new NodeLooks(parts.cache(), live, new LoadCoalescer(loader, parts.cache(), home), home);
  }

  @Override
  public boolean isServed() {
    return served;
  }

  @Override
  public SortedSet<OsdId> serving() {
    return new TreeSet<>(parts.states().servingManagers());
  }

  @Override
  public SortedSet<OsdId> all() {
    return new TreeSet<>(parts.states().osds());
  }

  @Override
  public int leastHolders() {
    return Math.min(parts.machine().metaCopies(), all().size());
  }

  @Override
  public SortedMap<OsdId, Integer> attributeCopies(StorageMap map) {
    return parts.cache().attributeCopies(map);
  }

  @Override
  public SortedMap<OsdId, Integer> directoryCopies(StorageMap map) {
    return parts.cache().directoryCopies(map);
  }

  @Override
  public long expectedObjects() {
    return parts.machine().counts().files();
  }

  @Override
  public Map<ObjectId, TreeUsage> trees() {
    return live.trees();
  }

  @Override
  public Lsn lastLsn() {
    return parts.machine().lastLsn();
  }

  @Override
  public CompletionStage<Void> flushed() {
    return parts.flusher().flushed().thenApplyAsync(nothing -> null, home);
  }

  @Override
  public CompletionStage<Listed> list(OsdId osd, ObjectId after, int max) {
    return holdings.list(osd, after, max);
  }

  @Override
  public CompletionStage<Map<ObjectId, Optional<StoredObject>>> stored(
      OsdId osd, List<ObjectId> objects) {
    return holdings.stored(osd, objects);
  }

  @Override
  public CompletionStage<SortedMap<Integer, byte[]>> blocks(
      OsdId osd, ObjectId directory, List<Integer> numbers) {
    return parts.port().blocks(osd, directory, numbers);
  }

  @Override
  public CompletionStage<Map<ObjectId, NodeState>> states(
      List<ObjectId> objects, Map<ObjectId, Attributes> assumed) {
    return looks.states(objects, assumed);
  }

  @Override
  public CompletionStage<Map<ObjectId, NodeState>> nodes(
      List<ObjectId> objects, Map<ObjectId, Attributes> assumed) {
    return looks.nodes(objects, assumed);
  }

  @Override
  public CompletionStage<NodeState> node(ObjectId object) {
    return looks.node(object);
  }

  @Override
  public CompletionStage<NameState> name(ObjectId directory, String name) {
    return looks.name(directory, name);
  }

  @Override
  public CompletionStage<Entries> entries(NameTally tally, int max) {
    return looks.entries(tally, max);
  }

  @Override
  public void watch(NameTally tally) {
    parts.cache().nameWatch().begin(tally);
  }

  @Override
  public void unwatch(NameTally tally) {
    parts.cache().nameWatch().end(tally);
  }

  @Override
  public CompletionStage<String> path(ObjectId object) {
    return looks.path(object);
  }

  @Override
  public LiveNode live(ObjectId object) {
    return live.of(object);
  }

  @Override
  public void watch(ObjectId object) {
    live.watch(object);
  }

  @Override
  public void unwatch(ObjectId object) {
    live.unwatch(object);
  }

  @Override
  public CompletionStage<ParityReport> parity(Attributes file, long fromStripe, long most) {
    StripedFile striped =
        new StripedFile(
            new ObjectName(parts.partition(), file.object()), file.map(), parts.capability().get());
    CompletableFuture<ParityReport> checked =
        parts.stripes().parityOf(striped).verify(fromStripe, most);
    return checked.thenApplyAsync(report -> report, home);
  }
}
