package org.weft.client.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;
import org.weft.client.ids.OnBehalfOf;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.wire.AttributesReply;
import org.weft.protocol.wire.DirectoryEntry;
import org.weft.protocol.wire.DroppedReadGrants;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.FileKind;
import org.weft.protocol.wire.NodeChange;
import org.weft.protocol.wire.NodeReply;
import org.weft.protocol.wire.OpenReply;
import org.weft.protocol.wire.ReadGrants;
import org.weft.protocol.wire.ReaddirReply;
import org.weft.protocol.wire.RenewSessionReply;
import org.weft.protocol.wire.RenewSessionRequest;
import org.weft.protocol.wire.RequestContext;
import org.weft.protocol.wire.WalkStep;

/** What a session relies on without asking, rule by rule (P 6.5). */
class ReadCacheTest {
  private static final long EPOCH = 3;
  private static final long ROOT = 1;
  private static final long DIRECTORY = 10;
  private static final long FILE = 20;
  private static final int ALL_RIGHTS = 15;
  private static final int RIGHTS_GRANTED = 16;
  private static final int LEASE_MILLIS = 3_000;
  private static final OnBehalfOf ANN = new OnBehalfOf("ann", List.of("makers"), false);
  private static final OnBehalfOf BOB = new OnBehalfOf("bob", List.of("users"), false);

  private final List<Long> open = new ArrayList<>();
  private long nowMillis = 1_000;
  private final ReadCache cache = cache(100);

  private ReadCache cache(int entries) {
    ReadCache made =
        new ReadCache(
            EPOCH,
            entries,
            () -> nowMillis * 1_000_000,
            new ReadCache.Openings() {
              @Override
              public void opened(OpenReply reply) {
                open.add(reply.getAttributes().getObjectId());
              }

              @Override
              public void closed(long objectId) {
                assertTrue(open.remove(objectId), objectId + " is open");
              }
            });
    renew(made, reply(EPOCH, 0));
    return made;
  }

  private static long number(int index) {
    return Lsn.of(EPOCH, index).value();
  }

  private static RenewSessionReply.Builder reply(long epoch, int newest) {
    return RenewSessionReply.newBuilder()
        .setEpoch(epoch)
        .setReadLeaseMillis(LEASE_MILLIS)
        .setReadNumber(Lsn.of(epoch, newest).value());
  }

  private RenewSessionRequest renew(ReadCache renewed, RenewSessionReply.Builder reply) {
    RenewSessionRequest.Builder renewal = RenewSessionRequest.newBuilder();
    renewed.addTo(renewal);
    renewed.renewed(renewal.build(), nowMillis * 1_000_000, reply.build());
    return renewal.build();
  }

  private static WalkStep step(long directory, String name, long object, FileKind kind) {
    return WalkStep.newBuilder()
        .setDirectoryId(directory)
        .setGranted(ALL_RIGHTS)
        .setName(name)
        .setObjectId(object)
        .setKind(kind)
        .build();
  }

  private static ReadGrants.Builder walk(int index) {
    return ReadGrants.newBuilder()
        .setNumber(number(index))
        .addStep(step(ROOT, "d", DIRECTORY, FileKind.DIRECTORY))
        .addStep(step(DIRECTORY, "f", FILE, FileKind.FILE))
        .setNode(ALL_RIGHTS);
  }

  private static AttributesReply file(int index, int mode) {
    return AttributesReply.newBuilder()
        .setAttributes(FileAttributes.newBuilder().setObjectId(FILE).setMode(mode))
        .setGranted(walk(index))
        .build();
  }

  private Optional<Integer> mode() {
    return cache.find("d/f", true).map(found -> found.attributes().getMode());
  }

  private static NodeReply rights(int index, int granted) {
    FileAttributes file = FileAttributes.newBuilder().setObjectId(FILE).setOwner("ann").build();
    return NodeReply.newBuilder()
        .setNode(NodeChange.newBuilder().setAfter(file))
        .setRights(6)
        .setGranted(ReadGrants.newBuilder().setNumber(number(index)).setNode(granted))
        .build();
  }

  /** P 6.5c.8.22: whose attributes are not granted, and may be others by now. */
  @Test
  void aWrittenFileHasOnlyItsRightsCached() {
    cache.heard(rights(1, 0), ANN);
    assertTrue(cache.knownRights(FILE, ANN).isEmpty(), "not granted");
    cache.heard(rights(2, RIGHTS_GRANTED), ANN);
    assertEquals(6, cache.knownRights(FILE, ANN).orElseThrow().rights());
    assertEquals("ann", cache.knownRights(FILE, ANN).orElseThrow().attributes().getOwner());
    assertTrue(cache.known(FILE, ANN).isEmpty(), "no attributes");
    assertTrue(cache.knownRights(FILE, BOB).isEmpty(), "of each caller");
    cache.recalled(List.of(FILE), number(2));
    assertTrue(cache.knownRights(FILE, ANN).isEmpty(), "recalled");
    cache.heard(rights(2, RIGHTS_GRANTED), ANN);
    assertTrue(cache.knownRights(FILE, ANN).isEmpty(), "it was on its way");
    cache.heard(rights(3, RIGHTS_GRANTED), ANN);
    assertTrue(cache.knownRights(FILE, ANN).isPresent());
    nowMillis += LEASE_MILLIS;
    assertTrue(cache.knownRights(FILE, ANN).isEmpty(), "the lease is over");
  }

  @Test
  void grantedNodesAreFound() {
    cache.heard(file(1, 0644));
    assertEquals(Optional.of(0644), mode());
    assertTrue(cache.find("d", true).isEmpty(), "its own attributes are not known");
    assertTrue(cache.find("d/g", true).isEmpty());
  }

  @Test
  void nodesWithoutAGrantAreNotFound() {
    cache.heard(file(1, 0644).toBuilder().setGranted(walk(1).setNode(0)).build());
    assertTrue(mode().isEmpty());
    WalkStep closed = step(DIRECTORY, "f", FILE, FileKind.FILE).toBuilder().setGranted(0).build();
    cache.heard(file(2, 0644).toBuilder().setGranted(walk(2).setStep(1, closed)).build());
    cache.recalled(List.of(DIRECTORY), number(2));
    assertTrue(mode().isEmpty());
  }

  @Test
  void aDirectoryThatMayNotBeSearchedIsNotPassed() {
    int withoutSearch = ALL_RIGHTS - 1;
    WalkStep passed = step(DIRECTORY, "f", FILE, FileKind.FILE);
    cache.heard(
        file(1, 0644).toBuilder()
            .setGranted(walk(1).setStep(1, passed.toBuilder().setGranted(withoutSearch)))
            .build());
    assertTrue(mode().isEmpty());
  }

  @Test
  void aGrantedDirectoryAnswersForMissingNames() {
    cache.heard(
        AttributesReply.newBuilder()
            .setNotFound("no")
            .setGranted(walk(1).clearNode().setStep(1, step(DIRECTORY, "f", 0, FileKind.FILE)))
            .build());
    ReadCache.Found found = cache.find("d/f/g", true).orElseThrow();
    assertFalse(found.exists());
    assertEquals("d/f", found.missing());
  }

  @Test
  void aLinkIsFoundOnlyWhereItIsNotFollowed() {
    FileAttributes link =
        FileAttributes.newBuilder().setObjectId(FILE).setKind(FileKind.SYMLINK).build();
    cache.heard(file(1, 0).toBuilder().setAttributes(link).build());
    assertTrue(cache.find("d/f", true).isEmpty());
    assertTrue(cache.find("d/f", false).isPresent());
  }

  @Test
  void recalledNodesAreDroppedAndReportedAtOnce() {
    cache.heard(file(1, 0644));
    cache.recalled(List.of(FILE), number(4));
    assertTrue(mode().isEmpty());
    assertTrue(cache.isUrgent());
    RenewSessionRequest told = renew(cache, reply(EPOCH, 4));
    assertEquals(List.of(FILE), numbers(told.getDroppedList(), DroppedReadGrants::getObjectId));
    assertEquals(List.of(number(4)), numbers(told.getDroppedList(), DroppedReadGrants::getNumber));
    assertFalse(cache.isUrgent());
    assertEquals(0, renew(cache, reply(EPOCH, 4)).getDroppedCount(), "it was heard");
  }

  @Test
  void aRecallOutdatesAnAnswerUnderWay() {
    cache.recalled(List.of(FILE), number(4));
    cache.heard(file(4, 0644));
    assertTrue(mode().isEmpty());
    cache.heard(file(5, 0600));
    assertEquals(Optional.of(0600), mode());
  }

  @Test
  void aReturnedGrantOutdatesEarlierAnswers() {
    cache.heard(file(7, 0644));
    RequestContext.Builder request = RequestContext.newBuilder();
    cache.dropFor(List.of("d/f"), List.of(), request);
    assertEquals(
        List.of(FILE, DIRECTORY),
        numbers(request.getDroppedList(), DroppedReadGrants::getObjectId));
    assertEquals(
        List.of(number(7), number(7)),
        numbers(request.getDroppedList(), DroppedReadGrants::getNumber));
    cache.heard(file(5, 0644));
    assertTrue(mode().isEmpty());
  }

  @Test
  void aNodeDroppedForWantOfRoomOutdatesEarlierAnswers() {
    ReadCache small = cache(1);
    small.heard(file(7, 0644));
    assertTrue(small.find("d/f", true).isEmpty(), "there is no room");
    RenewSessionRequest told = renew(small, reply(EPOCH, 7));
    assertFalse(numbers(told.getDroppedList(), DroppedReadGrants::getObjectId).isEmpty());
    small.heard(file(5, 0644));
    assertEquals(0, renew(small, reply(EPOCH, 7)).getDroppedCount(), "nothing was taken in");
  }

  @Test
  void theEndOfTheLeaseEmptiesTheCache() {
    cache.heard(file(1, 0644));
    nowMillis += LEASE_MILLIS;
    assertTrue(mode().isEmpty());
    cache.heard(file(2, 0644));
    assertTrue(mode().isEmpty());
    renew(cache, reply(EPOCH, 2));
    assertTrue(mode().isEmpty(), "recalls may have been given up meanwhile");
    cache.heard(file(2, 0644));
    assertTrue(mode().isEmpty(), "it was granted before");
    cache.heard(file(3, 0600));
    assertEquals(Optional.of(0600), mode());
    assertEquals(number(2), renew(cache, reply(EPOCH, 3)).getDroppedAll());
  }

  @Test
  void theLeaseIsCountedFromWhenTheRenewalWasSent() {
    cache.heard(file(1, 0644));
    nowMillis += 2_000;
    cache.renewed(
        RenewSessionRequest.getDefaultInstance(), 1_500 * 1_000_000L, reply(EPOCH, 1).build());
    nowMillis = 1_500 + LEASE_MILLIS - 1;
    assertTrue(mode().isPresent());
    nowMillis++;
    assertTrue(mode().isEmpty());
  }

  @Test
  void aRenewalDropsWhatItNamesAsRecalled() {
    cache.heard(file(1, 0644));
    renew(cache, reply(EPOCH, 3).addRecalledObject(FILE));
    assertTrue(mode().isEmpty());
    assertTrue(cache.isUrgent());
    cache.heard(file(2, 0644));
    assertTrue(mode().isEmpty());
    cache.heard(file(4, 0644));
    renew(cache, reply(EPOCH, 4).setRecalledAll(true));
    assertTrue(mode().isEmpty());
  }

  @Test
  void anotherManagerEndsAllThatTheOneBeforeGranted() {
    cache.heard(file(1, 0644));
    renew(cache, reply(EPOCH + 1, 0).clearReadLeaseMillis());
    assertTrue(mode().isEmpty());
    cache.heard(file(2, 0644));
    assertTrue(mode().isEmpty());
    renew(cache, reply(EPOCH + 1, 0));
    cache.heard(file(3, 0644));
    assertTrue(mode().isEmpty(), "of the manager before");
    long next = Lsn.of(EPOCH + 1, 1).value();
    cache.heard(file(3, 0600).toBuilder().setGranted(walk(1).setNumber(next)).build());
    assertEquals(Optional.of(0600), mode());
    renew(cache, reply(EPOCH, 9));
    assertEquals(Optional.of(0600), mode(), "a late answer of the manager before says nothing");
  }

  @Test
  void aManagerThatGrantsNothingIsAskedEachTime() {
    ReadCache never =
        new ReadCache(
            EPOCH,
            100,
            () -> nowMillis * 1_000_000,
            new ReadCache.Openings() {
              @Override
              public void opened(OpenReply reply) {
                open.add(FILE);
              }

              @Override
              public void closed(long objectId) {
                open.remove(objectId);
              }
            });
    renew(never, RenewSessionReply.newBuilder().setEpoch(EPOCH));
    assertFalse(never.isUseful());
    never.heard(file(1, 0644));
    assertTrue(never.find("d/f", true).isEmpty());
  }

  @Test
  void aFileIsReopenedWithoutAMessageUntilItIsDropped() {
    OpenReply reply =
        OpenReply.newBuilder()
            .setAttributes(FileAttributes.newBuilder().setObjectId(FILE))
            .setGranted(walk(1))
            .build();
    cache.heard(reply);
    assertEquals(List.of(FILE), open);
    assertTrue(cache.open("d/f").isPresent());
    assertEquals(List.of(FILE, FILE), open);
    cache.recalled(List.of(FILE), number(1));
    assertEquals(List.of(FILE), open, "one is the caller's");
    assertTrue(cache.open("d/f").isEmpty());
    nowMillis += LEASE_MILLIS;
    assertEquals(List.of(FILE), open);
  }

  private static DirectoryEntry entry(String name, long object, int cookie) {
    return DirectoryEntry.newBuilder()
        .setName(name)
        .setObjectId(object)
        .setCookie(cookie)
        .setGranted(ALL_RIGHTS)
        .setAttributes(FileAttributes.newBuilder().setObjectId(object).setMode(cookie))
        .build();
  }

  private static ReaddirReply page(int index, boolean end, DirectoryEntry... entries) {
    return ReaddirReply.newBuilder()
        .addAllEntries(List.of(entries))
        .setEnd(end)
        .setGranted(
            ReadGrants.newBuilder()
                .setNumber(number(index))
                .addStep(step(ROOT, "d", DIRECTORY, FileKind.DIRECTORY))
                .setNode(ALL_RIGHTS))
        .build();
  }

  private List<String> names(ReaddirReply page) {
    return page.getEntriesList().stream().map(DirectoryEntry::getName).toList();
  }

  @Test
  void aListingIsKnownWhenAllItsPagesHaveCome() {
    cache.heard(page(1, false, entry("f", FILE, 5), entry("g", 21, 7)), 0);
    assertTrue(cache.page("d", 0, 10, true).isEmpty());
    assertEquals(Optional.of(5), mode(), "what was listed is known by itself");
    cache.heard(page(2, true, entry("h", 22, 9)), 7);
    ReaddirReply all = cache.page("d", 0, 10, true).orElseThrow();
    assertEquals(List.of("f", "g", "h"), names(all));
    assertTrue(all.getEnd());
    assertEquals(7, all.getEntries(1).getAttributes().getMode());
    ReaddirReply part = cache.page("d", 5, 1, false).orElseThrow();
    assertEquals(List.of("g"), names(part));
    assertFalse(part.getEnd());
    assertFalse(cache.find("d/i", true).orElseThrow().exists(), "nothing else is there");
  }

  @Test
  void aListingWithoutOneOfItsAttributesIsAskedFor() {
    cache.heard(page(1, true, entry("f", FILE, 5), entry("g", 21, 7)), 0);
    cache.recalled(List.of(21L), number(1));
    assertTrue(cache.page("d", 0, 10, true).isEmpty());
    assertTrue(cache.page("d", 0, 10, false).isPresent());
    cache.recalled(List.of(DIRECTORY), number(1));
    assertTrue(cache.page("d", 0, 10, false).isEmpty());
  }

  @Test
  void pagesBeforeAndAfterARecallAreNoListing() {
    cache.heard(page(1, false, entry("f", FILE, 5)), 0);
    cache.recalled(List.of(DIRECTORY), number(1));
    cache.heard(page(2, true, entry("h", 22, 9)), 5);
    assertTrue(cache.page("d", 0, 10, false).isEmpty());
  }

  @Test
  void theLeastRecentlyUsedNodeGoesFirst() {
    ReadCache small = cache(12);
    for (int index = 0; index < 40; index++) {
      long object = 100 + index;
      small.heard(
          AttributesReply.newBuilder()
              .setAttributes(FileAttributes.newBuilder().setObjectId(object))
              .setGranted(
                  ReadGrants.newBuilder()
                      .setNumber(number(1 + index))
                      .addStep(step(ROOT, "f" + index % 5, object, FileKind.FILE))
                      .setNode(ALL_RIGHTS))
              .build());
      assertTrue(small.weight() <= 12, "at " + small.weight());
    }
    assertTrue(small.find("f4", true).isPresent());
  }

  @Test
  void theEndOfTheSessionEmptiesTheCache() {
    cache.heard(file(1, 0644));
    cache.end();
    assertTrue(mode().isEmpty());
    renew(cache, reply(EPOCH, 5));
    cache.heard(file(6, 0644));
    assertTrue(mode().isEmpty());
  }

  private static <T> List<Long> numbers(List<T> said, ToLongFunction<T> number) {
    return said.stream().mapToLong(number).boxed().toList();
  }
}
