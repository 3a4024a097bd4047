package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.client.cache.ReadCache;
import org.weft.metadata.reading.GrantedReads;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.execution.Outcome;
import org.weft.metadata.volume.operation.attributes.GetAttributes;
import org.weft.metadata.volume.operation.attributes.SetAttributes;
import org.weft.metadata.volume.operation.grant.OpenFile;
import org.weft.metadata.volume.operation.name.CreateFile;
import org.weft.metadata.volume.operation.name.MakeDirectory;
import org.weft.metadata.volume.operation.name.MakeSymlink;
import org.weft.metadata.volume.operation.name.ReadDirectory;
import org.weft.metadata.volume.operation.name.RemoveDirectory;
import org.weft.metadata.volume.operation.name.Rename;
import org.weft.metadata.volume.operation.name.Unlink;
import org.weft.metadata.volume.operation.session.DropReads;
import org.weft.metadata.volume.operation.session.RenewSession;
import org.weft.metadata.volume.path.NodePath;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.AttributesReply;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.DirectoryEntry;
import org.weft.protocol.wire.DroppedReadGrants;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.OpenReply;
import org.weft.protocol.wire.ReaddirReply;
import org.weft.protocol.wire.RenewSessionReply;
import org.weft.protocol.wire.RenewSessionRequest;
import org.weft.protocol.wire.RequestContext;

/**
 * Random clients with the client library's caches, against the manager's answers at that very
 * moment (P 6.5). A cache's answer is never older. Answers, recalls and renewals are late, come in
 * any order, or are lost; clients are cut off for longer than their leases; managers start anew.
 */
class ReadGrantModelTest {
  private static final int STEPS = 3_000;
  private static final int CLIENTS = 3;

  /** Of every second cache: some things have to go for others all the time. */
  private static final int SMALL_CACHE_ENTRIES = 7;

  private static final int LARGE_CACHE_ENTRIES = 1_000;
  private static final List<String> DIRECTORIES = List.of("/a", "/b", "/a/c");
  private static final List<String> NAMES = List.of("x", "y", "c");

  static LongStream seeds() {
    return LongStream.range(0, Long.getLong("weft.model.seeds", 12));
  }

  /** Something that arrives later, if at all. */
  private record Message(long atMillis, Runnable arrival) {}

  private final List<Message> wire = new ArrayList<>();
  private final List<Client> clients = new ArrayList<>();
  private SplittableRandom random;
  private TestVolume volume;
  private TestClient plain;
  private long nowMillis = 1_000;
  private int hits;
  private int changes;

  /** A client with a cache, and what it keeps open. */
  private final class Client implements ReadCache.Openings {
    private TestClient session;
    private TestClient changer;
    private ReadCache cache;
    private Consumer<Runnable> sends = arrival -> {};
    private long cutOffUntilMillis;
    private long deafUntilMillis;
    private long renewedMillis;
    private long epoch;
    private long reclaimEpoch;
    private boolean changing;
    private int open;

    private void begin() throws WeftException {
      session = volume.cachingClient(TestVolume.SUPERUSER);
      changer = session.inSlot(1);
      epoch = volume.epochs();
      reclaimEpoch = 0;
      changing = false;
      open = 0;
      renewedMillis = 0;
      int entries = clients.indexOf(this) == 1 ? LARGE_CACHE_ENTRIES : SMALL_CACHE_ENTRIES;
      cache = new ReadCache(epoch, entries, () -> nowMillis * 1_000_000, this);
      sends = arrival -> send(this, arrival);
    }

    @Override
    public void opened(OpenReply reply) {
      open++;
    }

    @Override
    public void closed(long objectId) {
      open--;
      assertTrue(open >= 0, "nothing is closed that is not open");
    }

    private void renew() {
      renewedMillis = nowMillis;
      RenewSessionRequest.Builder renewal = RenewSessionRequest.newBuilder();
      if (reclaimEpoch != 0) {
        renewal.setReclaimEpoch(reclaimEpoch).setReclaim(true);
      }
      cache.addTo(renewal);
      RenewSessionRequest body = renewal.build();
      long sentNanos = nowMillis * 1_000_000;
      ReadCache asked = cache;
      sends.accept(() -> renewing(body, sentNanos, asked));
    }

    /** At the manager. */
    private void renewing(RenewSessionRequest body, long sentNanos, ReadCache asked) {
      if (asked != cache || !volume.machine().hasSession(session.session())) {
        return;
      }
      List<DropReads.Dropped> dropped = dropped(body.getDroppedList());
      RenewSession renewal =
          new RenewSession(
              session.session(),
              List.of(),
              new RenewSession.Reclaim(body.getReclaimEpoch(), body.getReclaim(), List.of()),
              new RenewSession.DroppedReads(dropped, new Lsn(body.getDroppedAll())),
              "");
      RenewSessionReply reply = parse(RenewSessionReply.parser(), volume.own(renewal).reply());
      sends.accept(() -> renewed(body, sentNanos, reply, asked));
    }

    private void renewed(
        RenewSessionRequest body, long sentNanos, RenewSessionReply reply, ReadCache asked) {
      if (asked != cache) {
        return;
      }
      cache.renewed(body, sentNanos, reply);
      if (body.getReclaim() && body.getReclaimEpoch() == reply.getEpoch()) {
        epoch = Math.max(epoch, reply.getEpoch());
        reclaimEpoch = reclaimEpoch == epoch ? 0 : reclaimEpoch;
      } else if (reply.getEpoch() > epoch) {
        reclaimEpoch = Math.max(reclaimEpoch, reply.getEpoch());
      }
      if (cache.isUrgent()) {
        renew();
      }
    }

    private void recalled(List<Long> objects, long number, ReadCache meant) {
      if (meant == cache) {
        cache.recalled(objects, number);
        renew();
      }
    }
  }

  private static <T> T parse(Parser<T> parser, MessageLite reply) {
    try {
      return parser.parseFrom(reply.toByteString());
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }

  /** Between a client and the manager, either way. */
  private void send(Client client, Runnable arrival) {
    if (nowMillis < client.cutOffUntilMillis || random.nextInt(12) == 0) {
      return;
    }
    long delay = random.nextInt(10) == 0 ? random.nextInt(6_000) : random.nextInt(40);
    wire.add(new Message(nowMillis + delay, arrival));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void cachesNeverAnswerStaleValues(long seed) throws WeftException {
    random = new SplittableRandom(seed);
    volume = TestVolume.formatted(seed);
    plain = volume.client(TestVolume.SUPERUSER);
    for (String directory : DIRECTORIES) {
      plain.mkdir(directory);
    }
    for (int index = 0; index < CLIENTS; index++) {
      Client client = new Client();
      client.begin();
      clients.add(client);
    }
    for (int step = 0; step < STEPS; step++) {
      step();
    }
    assertTrue(hits > 20, "caches answered " + hits + " times");
    assertTrue(changes > 20, changes + " changes");
  }

  private void step() throws WeftException {
    int millis = 1 + random.nextInt(30);
    nowMillis += millis;
    volume.pass(millis);
    deliver();
    Client client = clients.get(random.nextInt(CLIENTS));
    if (!volume.machine().hasSession(client.session.session())) {
      client.cache.end();
      assertEquals(0, client.open, "what a cache kept open is given back with it");
      client.begin();
    }
    int kind = random.nextInt(100);
    if (kind < 45) {
      read(client, path());
    } else if (kind < 52) {
      change(client);
    } else if (kind == 60 && random.nextInt(6) == 0) {
      client.cutOffUntilMillis = nowMillis + random.nextInt(14_000);
    } else if (kind == 61 && random.nextInt(3) == 0) {
      client.deafUntilMillis = nowMillis + random.nextInt(8_000);
    } else if (kind == 62 && random.nextInt(10) == 0) {
      restart();
    }
    for (Client each : clients) {
      if (nowMillis - each.renewedMillis > 900) {
        each.renew();
      }
      compare(each, path());
    }
    again();
    volume.tick();
    push();
    // A session that renews nothing else would be gone.
    volume.own(new RenewSession(plain.session()));
  }

  private void deliver() {
    for (Message message : List.copyOf(wire)) {
      if (message.atMillis() <= nowMillis) {
        wire.remove(message);
        message.arrival().run();
      }
    }
  }

  private String path() {
    String directory = DIRECTORIES.get(random.nextInt(DIRECTORIES.size()));
    return random.nextInt(4) == 0
        ? directory
        : directory + "/" + NAMES.get(random.nextInt(NAMES.size()));
  }

  private void read(Client client, String path) throws WeftException {
    boolean mayCache = client.cache.isUseful();
    ReadCache asked = client.cache;
    try {
      int kind = random.nextInt(3);
      if (kind == 0) {
        AttributesReply reply =
            TestClient.parse(
                AttributesReply.parser(),
                client.session.execute(
                    new GetAttributes(TestClient.path(path), false, false, true, mayCache)));
        client.sends.accept(() -> asked.heard(reply));
      } else if (kind == 1) {
        OpenReply reply =
            TestClient.parse(
                OpenReply.parser(),
                client.session.execute(
                    new OpenFile(TestClient.path(path), false, false, mayCache)));
        client.sends.accept(() -> asked.heard(reply));
      } else {
        page(client, asked, path, mayCache, 0);
      }
    } catch (WeftException e) {
      // There is no such file, or it is a directory.
      return;
    }
  }

  private void page(Client client, ReadCache asked, String path, boolean mayCache, long cookie) {
    ReaddirReply reply;
    try {
      reply =
          TestClient.parse(
              ReaddirReply.parser(),
              client.session.execute(
                  new ReadDirectory(TestClient.path(path), cookie, 2, true, false, mayCache)));
    } catch (WeftException e) {
      return;
    }
    client.sends.accept(
        () -> {
          asked.heard(reply, cookie);
          if (!reply.getEnd() && asked == client.cache) {
            long last = reply.getEntries(reply.getEntriesCount() - 1).getCookie();
            page(client, asked, path, mayCache, last);
          }
        });
  }

  /** Whatever the cache says is so at this moment. */
  private void compare(Client client, String path) throws WeftException {
    String within = path.substring(1);
    Optional<ReadCache.Found> found = client.cache.find(within, true);
    if (found.isPresent()) {
      hits++;
      assertEquals(
          attributes(path), Optional.ofNullable(found.get().attributes()), path + " is not so");
    }
    Optional<OpenReply> opened = client.cache.open(within);
    if (opened.isPresent()) {
      hits++;
      assertEquals(attributes(path), Optional.of(opened.get().getAttributes()), path);
      client.closed(opened.get().getAttributes().getObjectId());
    }
    Optional<ReaddirReply> page = client.cache.page(within, 0, 10, true);
    if (page.isPresent()) {
      hits++;
      ReaddirReply now =
          TestClient.parse(
              ReaddirReply.parser(),
              plain.execute(new ReadDirectory(TestClient.path(path), 0, 10, true)));
      assertEquals(stripped(now), stripped(page.get()), path + " is listed otherwise");
    }
  }

  private static List<DirectoryEntry> stripped(ReaddirReply page) {
    return page.getEntriesList().stream()
        .map(entry -> entry.toBuilder().clearGranted().build())
        .toList();
  }

  private Optional<FileAttributes> attributes(String path) {
    try {
      return Optional.of(plain.attributes(path));
    } catch (WeftException e) {
      return Optional.empty();
    }
  }

  private void change(Client client) {
    if (client.changing) {
      return;
    }
    client.changing = true;
    String path = path();
    String other = path();
    Operation change = drawChange(TestClient.path(path), TestClient.path(other));
    if (random.nextBoolean()) {
      RequestContext.Builder context = RequestContext.newBuilder();
      client.cache.dropFor(List.of(path.substring(1), other.substring(1)), List.of(), context);
      change = new DropReads(dropped(context.getDroppedList()), change);
    }
    settle(client, client.changer.attempt(change));
  }

  private static List<DropReads.Dropped> dropped(List<DroppedReadGrants> said) {
    return said.stream()
        .map(
            each ->
                new DropReads.Dropped(new ObjectId(each.getObjectId()), new Lsn(each.getNumber())))
        .toList();
  }

  private Operation drawChange(NodePath path, NodePath other) {
    return switch (random.nextInt(6)) {
      case 0 -> new Unlink(path);
      case 1 -> new Rename(path, other, true);
      case 2 -> new MakeDirectory(path, 0777, 0, false);
      case 3 -> new RemoveDirectory(path);
      case 4 -> new MakeSymlink(path, "x");
      default ->
          new SetAttributes(
              path,
              OptionalInt.of(random.nextInt(01000)),
              Optional.empty(),
              Optional.empty(),
              OptionalLong.empty(),
              OptionalLong.empty());
    };
  }

  private void settle(Client client, Outcome outcome) {
    client.changing = outcome instanceof Outcome.Recall;
    changes += outcome instanceof Outcome.Done ? 1 : 0;
  }

  /** Changes that wait are executed again. */
  private void again() throws WeftException {
    for (Client client : clients) {
      if (client.changing) {
        settle(client, client.changer.again());
      }
    }
    if (random.nextInt(8) == 0) {
      create(path());
    }
  }

  /** A closed file, if the name is free and no client relies on its directory. */
  private void create(String path) throws WeftException {
    Outcome outcome =
        plain.attempt(
            new CreateFile(TestClient.path(path), 0644, 0, false, false, Optional.empty()));
    if (outcome instanceof Outcome.Done done) {
      plain.close(TestClient.parse(CreateReply.parser(), done), 5);
    }
  }

  private void push() {
    for (GrantedReads.Word word : volume.machine().recalledReads(volume.now())) {
      List<Long> objects = word.objects().stream().map(ObjectId::value).toList();
      for (Client client : clients) {
        if (client.session.session().equals(word.session())) {
          ReadCache meant = client.cache;
          if (nowMillis >= client.deafUntilMillis) {
            client.sends.accept(() -> client.recalled(objects, word.number().value(), meant));
          }
        }
      }
    }
  }

  /** Its journal is all that the next manager has; what is on the wire may arrive yet. */
  private void restart() {
    volume = volume.restarted();
    plain = plain.with(volume);
    volume.own(plain.reclaiming(volume.epochs()));
    for (Client client : clients) {
      client.session = client.session.with(volume);
      client.changer = client.changer.with(volume);
    }
  }
}
