package org.weft.bench.micro;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.weft.metadata.grant.CapabilityMint;
import org.weft.metadata.grant.WorkingKeys;
import org.weft.metadata.journal.JournalContents;
import org.weft.metadata.journal.JournalRecord;
import org.weft.metadata.objects.Loaded;
import org.weft.metadata.objects.Missing;
import org.weft.metadata.objects.cache.CacheLimits;
import org.weft.metadata.objects.cache.MetadataCache;
import org.weft.metadata.placement.OsdCandidate;
import org.weft.metadata.placement.OsdPool;
import org.weft.metadata.volume.Caller;
import org.weft.metadata.volume.VolumeMachine;
import org.weft.metadata.volume.execution.ClusterKnown;
import org.weft.metadata.volume.execution.Now;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.execution.Outcome;
import org.weft.metadata.volume.execution.VolumeContext;
import org.weft.metadata.volume.operation.attributes.GetAttributes;
import org.weft.metadata.volume.operation.grant.CloseFile;
import org.weft.metadata.volume.operation.name.CreateFile;
import org.weft.metadata.volume.operation.name.MakeDirectory;
import org.weft.metadata.volume.operation.name.Rename;
import org.weft.metadata.volume.operation.session.OpenSession;
import org.weft.metadata.volume.operation.volume.FormatVolume;
import org.weft.metadata.volume.path.NodePath;
import org.weft.metadata.volume.state.VolumeSettings;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.OpenSessionReply;

/**
 * A volume's state machine and one session with it, and nothing beneath. Its journal keeps the last
 * record alone, no OSD has anything, and nothing is flushed. So all of it stays in memory. Time
 * stands still. Not thread-safe.
 */
final class BenchedVolume {
  private static final PartitionId VOLUME = new PartitionId(1);
  static final String USER = "weft";
  private static final int OSDS = 6;
  private static final int SLOTS = 8;
  private static final int NO_BOUND = 1 << 24;
  private static final int FILE_MODE = 0666;
  private static final int DIRECTORY_MODE = 0777;
  private static final int UMASK = 022;
  private static final int MAX_LOADS = 10;
  private static final Now NOW = new Now(1_750_000_000_000L, 1);

  private final MetadataCache cache;
  private final VolumeMachine machine;
  private final SessionId session;
  private long sequence;
  private JournalRecord journalled;

  /** Of the formatting and the session. */
  private final List<JournalRecord> before = new ArrayList<>();

  private Consumer<JournalRecord> listener = before::add;

  /** One that was just formatted. */
  BenchedVolume() throws WeftException {
    VolumeSettings settings = new VolumeSettings(VOLUME, 2, 0, 1, "default", USER, "/");
    cache =
        new MetadataCache(
            settings.metaCopies(),
            new CacheLimits(NO_BOUND, 0, NO_BOUND, NO_BOUND, NO_BOUND, NO_BOUND, NO_BOUND));
    VolumeContext context =
        new VolumeContext(
            settings,
            new CapabilityMint(VOLUME, new WorkingKeys(1, new byte[32])),
            new SplittableRandom(1));
    List<OsdCandidate> osds =
        IntStream.rangeClosed(1, OSDS)
            .mapToObj(id -> new OsdCandidate(new OsdId(id), "host-" + id, true, 1L << 40))
            .toList();
    context.clusterChanged(new ClusterKnown(1, new OsdPool(osds), 600, 60, OSDS));
    machine = new VolumeMachine(context, cache);
    machine.recover(new JournalContents(List.of(), List.of(), Lsn.ZERO), 1, NOW);
    execute(null, new FormatVolume());
    OpenSession opening = new OpenSession(USER, List.of(USER), "host/1/bench", 1, SLOTS);
    session =
        new SessionId(parse(OpenSessionReply.parser(), execute(null, opening)).getSessionId());
    listener = record -> {};
  }

  void makeDirectory(String... names) throws WeftException {
    execute(next(), new MakeDirectory(path(names), DIRECTORY_MODE, UMASK, false));
  }

  /** Makes a file, as two requests do: one that creates it, one that closes it empty. */
  MessageLite create(String... names) throws WeftException {
    CreateFile creation =
        new CreateFile(path(names), FILE_MODE, UMASK, false, false, Optional.empty());
    CreateReply created = parse(CreateReply.parser(), execute(next(), creation));
    ObjectId object = new ObjectId(created.getAttributes().getObjectId());
    Lsn grant = new Lsn(created.getGrant().getNumber());
    return execute(next(), new CloseFile(object, grant, 0, 0, false, true));
  }

  MessageLite attributes(String... names) throws WeftException {
    return execute(next(), new GetAttributes(path(names)));
  }

  MessageLite rename(NodePath source, NodePath target) throws WeftException {
    return execute(next(), new Rename(source, target, false));
  }

  static NodePath path(String... names) {
    return new NodePath(List.of(names));
  }

  /** Hears of each record, those that were journalled before first. */
  void listen(Consumer<JournalRecord> heard) {
    before.forEach(heard);
    before.clear();
    listener = heard;
  }

  /** What went to the journal last. */
  JournalRecord journalled() {
    return journalled;
  }

  private Caller next() {
    return new Caller(session, 0, ++sequence);
  }

  private MessageLite execute(Caller caller, Operation operation) throws WeftException {
    for (int loads = 0; loads < MAX_LOADS; loads++) {
      Outcome outcome =
          caller == null
              ? machine.execute(operation, NOW)
              : machine.execute(caller, operation, NOW);
      if (outcome instanceof Outcome.Done done) {
        journalled = done.record().orElse(journalled);
        done.record().ifPresent(listener);
        return done.reply();
      } else if (outcome instanceof Outcome.Refused refused) {
        throw refused.why();
      } else if (outcome instanceof Outcome.Need need) {
        cache.loaded(need.missing().stream().map(BenchedVolume::nowhere).toList());
      } else {
        throw new IllegalStateException(operation + " came to " + outcome);
      }
    }
    throw new IllegalStateException("loading does not help " + operation);
  }

  private static Loaded nowhere(Missing missing) {
    return new Loaded.LostAttributes(missing.object(), new TreeSet<>(), "no OSD has anything");
  }

  /** Replies are handed out as messages; one that was made of bytes has to be read again. */
  private static <T> T parse(Parser<T> parser, MessageLite reply) {
    try {
      return parser.parseFrom(reply.toByteString());
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("a reply is not the message it should be", e);
    }
  }
}
