package org.weft.it.architecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import org.weft.client.WeftPath;
import org.weft.client.acl.AclStatus;

/** Packages of the client use each other one way, and each is small enough to be known whole. */
@AnalyzeClasses(
    packages = "org.weft.client",
    importOptions = {ImportOption.DoNotIncludeTests.class, ModuleDirectionTest.NoTestJars.class})
class ClientPackagesTest {
  private static final String CLIENT = "org.weft.client";

  /** The Java API names its access lists, and these name a path of the API. */
  @ArchTest
  static final ArchRule packagesHaveNoCycle =
      PackageRules.haveNoCycle("the client").ignoreDependency(AclStatus.class, WeftPath.class);

  /** Not of the Java API itself: that is {@code org.weft.client}. */
  @ArchTest
  static void noPackageBelowTheApiHasMoreThanFortyClasses(JavaClasses classes) {
    PackageRules.assertFewClasses(classes, name -> name.startsWith(CLIENT + "."));
  }
}
