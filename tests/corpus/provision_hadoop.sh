#!/bin/sh
# Fetches the jars of a small Hadoop cluster, of the same version as PySpark's jars, for the tests that BINLOG_HADOOP
# turns on. They come from the repositories of the machine's Maven.
#
# Usage: provision_hadoop.sh FOLDER
set -eu

folder=${1:?usage: provision_hadoop.sh FOLDER}
version=$(python -c '
import pathlib, pyspark
(jar,) = pathlib.Path(pyspark.__file__).parent.glob("jars/hadoop-client-api-*.jar")
print(jar.stem.removeprefix("hadoop-client-api-"))')

# The cluster, and what it needs besides Spark's jars: an assertion of JUnit, certificates of the resource manager.
for artifact in \
    "org.apache.hadoop:hadoop-client-minicluster:$version" \
    org.junit.jupiter:junit-jupiter-api:5.13.4 \
    org.bouncycastle:bcprov-jdk18on:1.82 \
    org.bouncycastle:bcutil-jdk18on:1.82 \
    org.bouncycastle:bcpkix-jdk18on:1.82; do
    jar=$(echo "$artifact.jar" | cut -d : -f 2- | tr : -)
    # Jars that are there already are not fetched again.
    [ -e "$folder/$jar" ] || mvn -q -B dependency:copy -Dartifact="$artifact" -DoutputDirectory="$(realpath -m "$folder")"
done
