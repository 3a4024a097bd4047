package org.weft.it.architecture;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.weft.client.WeftPath;
import org.weft.client.acl.AclStatus;

/** Packages of the client use each other one way, and each is small enough to be known whole. */
@AnalyzeClasses(
    packages = "org.weft.client",
    importOptions = {ImportOption.DoNotIncludeTests.class, ModuleDirectionTest.NoTestJars.class})
class ClientPackagesTest {
  private static final int MAX_CLASSES = 40;
  private static final String CLIENT = "org.weft.client";

  /** The Java API names its access lists, and these name a path of the API. */
  @ArchTest
  static final ArchRule packagesHaveNoCycle =
      slices()
          .assignedFrom(new ByPackage())
          .should()
          .beFreeOfCycles()
          .ignoreDependency(AclStatus.class, WeftPath.class);

  /** Not of the Java API itself: that is {@code org.weft.client}. */
  @ArchTest
  static void noPackageBelowTheApiHasMoreThanFortyClasses(JavaClasses classes) {
    SortedMap<String, Long> counts =
        classes.stream()
            .filter(JavaClass::isTopLevelClass)
            .map(JavaClass::getPackageName)
            .filter(name -> name.startsWith(CLIENT + "."))
            .collect(
                Collectors.groupingBy(Function.identity(), TreeMap::new, Collectors.counting()));
    assertTrue(counts.size() >= 10, counts::toString);
    assertEquals(
        List.of(),
        counts.entrySet().stream()
            .filter(each -> each.getValue() > MAX_CLASSES)
            .map(each -> each.getKey() + " has " + each.getValue() + " classes")
            .toList());
  }

  private static final class ByPackage implements SliceAssignment {
    @Override
    public SliceIdentifier getIdentifierOf(JavaClass each) {
      return SliceIdentifier.of(each.getPackageName());
    }

    @Override
    public String getDescription() {
      return "packages of the client";
    }
  }
}
