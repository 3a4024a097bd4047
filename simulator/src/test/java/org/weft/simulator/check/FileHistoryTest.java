package org.weft.simulator.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.simulator.model.Fill;

class FileHistoryTest {
  private static final int MAX = 64;

  private final FileHistory file = new FileHistory("file 7");
  private long moment = 1;

  @BeforeEach
  void makeItLong() {
    ContentChange length = file.length("w", next(), MAX, MAX);
    length.acknowledged(next(), 0);
  }

  private long next() {
    return moment++;
  }

  /** A write that begins now. */
  private ContentChange write(int number, long from, long to) {
    return file.write("w", number, next(), from, to);
  }

  private void written(int number, long from, long to) {
    write(number, from, to).acknowledged(next(), moment);
  }

  private static byte[] bytes(int write, long from, long to) {
    byte[] bytes = new byte[(int) (to - from)];
    Fill.bytes(write, from, bytes.length).get(bytes);
    return bytes;
  }

  private void read(long from, byte[] found) {
    long start = next();
    file.read("r", start, start, next(), from, found.length, found);
  }

  private void assertSound() {
    assertEquals(List.of(), file.check());
  }

  private void assertWrong(String part) {
    List<BrokenRule> findings = file.check();
    assertEquals(1, findings.size(), findings::toString);
    assertTrue(findings.get(0).toString().contains(part), findings::toString);
  }

  @Test
  void writtenBytesAreRead() {
    written(1, 0, 32);
    written(2, 8, 16);
    read(0, bytes(1, 0, 8));
    read(8, bytes(2, 8, 16));
    read(16, bytes(1, 16, 32));
    read(32, new byte[8]);
    assertSound();
  }

  @Test
  void anAcknowledgedWriteMustNotBeMissed() {
    written(1, 0, 32);
    read(0, new byte[32]);
    assertWrong("read zero");
  }

  @Test
  void anOverwrittenWriteMustNotComeBack() {
    written(1, 0, 32);
    written(2, 0, 32);
    read(4, bytes(1, 4, 32));
    assertWrong("as of write [1]) at offset 4");
  }

  @Test
  void aWriteUnderWayMayBeSeenOrNotByteByByte() {
    written(1, 0, 32);
    ContentChange write = write(2, 0, 32);
    byte[] mixed = bytes(1, 0, 32);
    System.arraycopy(bytes(2, 0, 8), 0, mixed, 8, 8);
    System.arraycopy(bytes(2, 8, 16), 0, mixed, 8, 8);
    read(0, mixed);
    read(0, bytes(1, 0, 32));
    write.acknowledged(next(), 0);
    read(0, bytes(2, 0, 32));
    assertSound();
  }

  @Test
  void bytesThatStandInTheWrongPlaceAreSeen() {
    written(1, 0, 32);
    read(8, bytes(1, 0, 8));
    assertWrong("no write's");
  }

  @Test
  void failedWriteIsInDoubtUntilSettled() {
    written(1, 0, 32);
    ContentChange write = write(2, 0, 32);
    write.failed();
    read(0, bytes(2, 0, 32));
    read(0, bytes(1, 0, 32));
    file.settled(next());
    read(0, bytes(2, 0, 32));
    read(0, bytes(2, 0, 32));
    assertSound();
  }

  @Test
  void settledBytesDoNotChange() {
    written(1, 0, 32);
    ContentChange write = write(2, 0, 32);
    write.failed();
    file.settled(next());
    read(0, bytes(2, 0, 32));
    read(8, bytes(1, 8, 16));
    assertWrong("as of write [1]) at offset 8");
  }

  @Test
  void aSettledWriteIsOverwrittenForGood() {
    ContentChange write = write(1, 0, 32);
    write.failed();
    file.settled(next());
    written(2, 0, 32);
    read(0, bytes(1, 0, 32));
    assertWrong("as of write [1]");
  }

  @Test
  void aWriteThatIsNotSettledMayComeLate() {
    ContentChange write = write(1, 0, 32);
    write.failed();
    written(2, 0, 32);
    read(0, bytes(1, 0, 32));
    assertSound();
  }

  @Test
  void powerLossKeepsBytesOnDisks() {
    ContentChange write = write(1, 0, 32);
    write.acknowledged(next(), 0);
    write.durable();
    written(2, 0, 16);
    file.doubted(next(), 0);
    read(0, bytes(1, 0, 16));
    read(0, bytes(2, 0, 16));
    read(16, bytes(1, 16, 32));
    assertSound();
    read(16, new byte[16]);
    assertWrong("offset 16");
  }

  @Test
  void afterPowerLossAndSettlingReadersAgree() {
    written(1, 0, 32);
    file.doubted(next(), 0);
    file.settled(next());
    read(0, new byte[32]);
    read(0, bytes(1, 0, 32));
    assertWrong("as of write [1]");
  }

  @Test
  void oldAcknowledgedBytesSurviveAPowerLoss() {
    written(1, 0, 32);
    file.doubted(next(), moment + 10);
    read(0, new byte[32]);
    assertWrong("read zero");
  }

  @Test
  void truncatedBytesReadAsZerosWhenTheFileGrows() {
    written(1, 0, 32);
    ContentChange cut = file.zero("w", next(), 16, Long.MAX_VALUE);
    cut.acknowledged(next(), 0);
    read(0, bytes(1, 0, 16));
    read(16, bytes(1, 16, 32));
    assertWrong("as of write [1]) at offset 16");
  }

  @Test
  void theLengthIsWhatWasPublishedLast() {
    ContentChange shorter = file.length("w", next(), 16, 16);
    file.told("r", next(), next(), MAX);
    file.told("r", next(), next(), 16);
    shorter.acknowledged(next(), 0);
    file.told("r", next(), next(), 16);
    assertSound();
    file.told("r", next(), next(), MAX);
    assertWrong("told length 64");
  }

  @Test
  void aPublishedLengthIsNotForgotten() {
    long start = next();
    file.read("r", start, start, next(), 60, 8, new byte[2]);
    assertWrong("got 2");
  }

  @Test
  void aReaderMayKnowTheLengthOfTheMomentItOpened() {
    long opened = next();
    file.length("w", next(), 80, 80).acknowledged(next(), 0);
    long start = next();
    file.read("r", opened, start, next(), 60, 8, new byte[4]);
    assertSound();
    file.read("s", next(), next(), next(), 60, 8, new byte[4]);
    assertWrong("s opened it");
  }

  @Test
  void aDeadWritersLengthIsOneAndStays() {
    ContentChange found = file.length("manager", next(), MAX, 100);
    found.failed();
    file.told("r", next(), next(), 80);
    file.told("r", next(), next(), MAX);
    file.settled(next());
    file.told("r", next(), next(), 90);
    file.told("r", next(), next(), 90);
    assertSound();
    file.told("r", next(), next(), 80);
    assertWrong("told length 80");
  }

  @Test
  void aDeadWritersLengthIsNoLongerThanItWrote() {
    ContentChange found = file.length("manager", next(), MAX, 100);
    found.failed();
    file.told("r", next(), next(), 101);
    assertWrong("told length 101");
  }
}
