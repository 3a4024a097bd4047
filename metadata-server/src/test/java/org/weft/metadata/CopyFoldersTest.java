package org.weft.metadata;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.metadata.journal.JournalOptions;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.wire.CopyIdentity;

/** In which folder of a manager the journal of a volume lies. */
class CopyFoldersTest {
  private static final PartitionId VOLUME = new PartitionId(7);

  @TempDir private Path folder;

  private static CopyIdentity copy(long epoch, long attempt) {
    return CopyIdentity.newBuilder().setVolumeId(7).setEpoch(epoch).setAttempt(attempt).build();
  }

  private List<String> folders() throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.filter(Files::isDirectory)
          .map(each -> each.getFileName().toString())
          .sorted()
          .toList();
    }
  }

  private void journalWith(DataDirectory directory, String file, long epoch) throws IOException {
    directory.journal(VOLUME, epoch, JournalOptions.DEFAULT).folder().open().create(file).close();
  }

  @Test
  void anOlderReleaseFindsNoJournalBesideACopy() throws Exception {
    try (DataDirectory directory =
        new DataDirectory(LocalFolders.open(folder), JournalOptions.DEFAULT)) {
      journalWith(directory, "old", 1);
      assertEquals(List.of("volume-7"), folders());
      directory.beginCopy(copy(2, 1)).folder().open().create("new").close();
      assertEquals(List.of("volume-7-0-0", "volume-7-2-1"), folders());
      assertTrue(Files.exists(folder.resolve("volume-7-0-0/old")), "it is kept");
      directory.beginCopy(copy(2, 2));
      assertEquals(List.of("volume-7-2-1", "volume-7-2-2"), folders(), "the newest two are kept");
    }
  }

  @Test
  void aJournalThatWasSetAsideForNoCopyIsUsed() throws Exception {
    try (DataDirectory directory =
        new DataDirectory(LocalFolders.open(folder), JournalOptions.DEFAULT)) {
      journalWith(directory, "old", 1);
    }
    // As a process leaves it that ends before it has written which folder counts from now on.
    Files.move(folder.resolve("volume-7"), folder.resolve("volume-7-0-0"));
    try (DataDirectory directory =
        new DataDirectory(LocalFolders.open(folder), JournalOptions.DEFAULT)) {
      List<String> files =
          directory.journal(VOLUME, 3, JournalOptions.DEFAULT).folder().open().list();
      assertEquals(List.of("old"), files);
      assertFalse(Files.exists(folder.resolve("volume-7")));
    }
  }

  @Test
  void copyOfThisEpochOrALaterOneIsRefusedAsJournal() throws Exception {
    try (DataDirectory directory =
        new DataDirectory(LocalFolders.open(folder), JournalOptions.DEFAULT)) {
      directory.beginCopy(copy(4, 1));
      var place = directory.journal(VOLUME, 4, JournalOptions.DEFAULT);
      assertThrows(IOException.class, () -> place.folder().open());
    }
  }
}
