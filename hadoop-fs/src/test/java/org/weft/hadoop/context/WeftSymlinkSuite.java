package org.weft.hadoop.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.SymlinkBaseTest;
import org.junit.jupiter.api.Test;

/**
 * Hadoop's suite for symbolic links. Two things of Weft are unlike HDFS, and the tests of them say
 * what Weft does instead.
 *
 * <ul>
 *   <li>A link stores a path of its cluster. The scheme and the authority of its target are not
 *       kept.
 *   <li>The manager follows links. A status has the path that was asked for, not the one to which
 *       the link leads.
 * </ul>
 */
abstract class WeftSymlinkSuite extends SymlinkBaseTest {
  @Override
  protected String getScheme() {
    return "weft";
  }

  @Override
  protected String testBaseDir1() {
    return "/tmp/links1";
  }

  @Override
  protected String testBaseDir2() {
    return "/tmp/links2";
  }

  @Override
  protected URI testURI() {
    return Contexts.uri();
  }

  private Path path(String name) {
    return new Path(testBaseDir1(), name);
  }

  /** The link has the path alone, and is followed. */
  private void assertStoredWithout(String schemeAndAuthority) throws IOException {
    Path file = path("file");
    Path link = path("linkToFile");
    createAndWriteFile(file);
    wrapper.createSymlink(new Path(schemeAndAuthority + file), link, false);
    assertEquals(file, wrapper.getLinkTarget(link));
    assertEquals(wrapper.makeQualified(file), wrapper.getFileLinkStatus(link).getSymlink());
    readFile(link);
  }

  @Override
  @Test
  public void testCreateLinkUsingFullyQualPaths() throws IOException {
    assertStoredWithout("weft://" + testURI().getAuthority());
  }

  @Override
  @Test
  public void testCreateLinkUsingPartQualPath1() throws IOException {
    assertStoredWithout("weft://");
  }

  @Override
  @Test
  public void testCreateLinkUsingPartQualPath2() throws IOException {
    assertStoredWithout("//" + testURI().getAuthority());
  }

  /** A status of the file, by the path of the link. */
  private void assertStatusHasTheLinksPath(Path target) throws IOException {
    Path file = path("file");
    Path link = path("linkToFile");
    createAndWriteFile(file);
    wrapper.createSymlink(target, link, false);
    assertTrue(wrapper.isSymlink(link));
    assertTrue(wrapper.isFile(link));
    assertFalse(wrapper.isDir(link));
    assertEquals(target, wrapper.getLinkTarget(link));
    FileStatus followed = wrapper.getFileStatus(link);
    assertFalse(followed.isSymlink());
    assertEquals(wrapper.getFileStatus(file).getLen(), followed.getLen());
    assertEquals(wrapper.makeQualified(link), followed.getPath());
    assertEquals(wrapper.makeQualified(link), wrapper.getFileLinkStatus(link).getPath());
  }

  @Override
  @Test
  public void testStatLinkToFile() throws IOException {
    assertStatusHasTheLinksPath(path("file"));
  }

  @Override
  @Test
  public void testStatRelLinkToFile() throws IOException {
    assertStatusHasTheLinksPath(new Path("file"));
  }

  @Override
  @Test
  public void testAccessFileViaInterSymlinkRelTarget() throws IOException {
    Path directory = path("dir");
    Path throughLink = new Path(path("linkToDir"), "file");
    wrapper.mkdir(directory, FileContext.DEFAULT_PERM, false);
    wrapper.createSymlink(new Path("dir"), path("linkToDir"), false);
    createAndWriteFile(throughLink);
    readFile(new Path(directory, "file"));
    readFile(throughLink);
    Path asked = wrapper.makeQualified(throughLink);
    assertEquals(asked, wrapper.getFileStatus(throughLink).getPath());
    assertEquals(asked, wrapper.getFileLinkStatus(throughLink).getPath());
    assertFalse(wrapper.isSymlink(throughLink));
  }
}
